/**
 * Name parts, as pronounced, for locales whose script any-ascii transliterates wrongly and which faker has in that
 * script only.
 */
export const SYLLABLES = {
  japanese: {
    family:
      'aka aki ao ara aso chi ebi en fuji fuku furu go hama hara hashi hata haya hide higashi hira hiro hon hori ichi ike ima ino ishi ita ito iwa izumi kado kami kana kane kata kawa ki kiku kita ko kubo kuchi kuma kuri kuro machi mae maki maru masu matsu mi michi mine mitsu miya mizu mori moto mura naga naka nishi no oka oku ono ota saka saki sato sawa seki shi shima shimi shino sugi suzu ta tabe taka take tana tani toku tomi tsuchi tsuji uchi ue uno wada wata ya yama yana yasu yoko yone yoshi zaki',
    given:
      'a aka aki asa asu atsu aya chi chika dai e emi fumi goro haru haya hide hiko hiro hito hono ichi jun ka kai kako kana kao kazu kei ken ki kiko kiyo ko kota kuni ma mai maki mana masa masaru mi michi midori miki miku mina mitsu miwa momo na nao natsu nobu nori o rei ri rie riko rina ro roku ryo ryu sa sachi sae saki sato sei shi shige shin sho shun so suke suzu ta taka take taro teru to toki tomo tora toshi tsu tsugu tsuyo u ume ya yasu yo yoko yori yoshi yu yua yui yuki yuko yume yuri yuu zo',
  },
  // In the spellings used in passports.
  korean: {
    family:
      'ahn an bae baek ban bang byun cha chae cho choe choi chun chung eom go gong gu gwak ha ham han heo hong hwang hyun im jang jeon jeong ji jin jo joo ju jung kang kim ko koo kwak kwon lee lim ma maeng min moon myung na nam no noh oh ok pak park pyo ra rhee ryu seo seol seong shim shin sim sin so son song suh sung tak wang woo yang yeo yeom yi yim yoo yoon you yu yun',
    given:
      'a ah ahn bin bo bom byung chae chan cheol chul dae dan dong doo eun eung ga geon geun gi goo gu gun gyeong gyu ha hae han hee heon heung ho hong hoon hui hun hwa hwan hwi hye hyeok hyeon hyo hyuk hyun hyung il in ja jae jee jeong ji jin jo jong joo joon ju jun jung kang ki kwang kyeong kyoung kyu kyung man mi min mo mok myeong myung na nam nari ok pil ra rae ran ri rin ro sang se seo seok seon seong seul seung shik shin si sik so sol soo sook su suk sun sung tae u uk un wan won woo woong wook ye yeo yeon yeong yi yo yong yoo yoon young yu yul yun',
  },
  pinyin: {
    family:
      'bai bao cai cao chang chao chen cheng cui dai deng ding dong dou du duan fan fang fei feng fu gan gao ge geng gong gu guan guo han hao he hong hou hu hua huang ji jia jiang jiao jin jing kang ke kong lai lan lei li lian liang liao lin ling liu long lou lu luo lv ma mao mei meng mo mu ni nie ning niu ou pan pang pei peng pi qi qian qiao qin qiu qu ren rong ruan shan shao shen shi shu song su sun tan tang tao tian tong tu wan wang wei wen weng wu xi xia xiang xiao xie xin xing xiong xu xue yan yang yao ye yi yin ying you yu yuan yue zeng zha zhan zhang zhao zheng zhong zhou zhu zhuang zou zuo',
    given:
      'ai an bai bao bei bin bing bo cai can chang chao chen cheng chong chuan chun cong da dan de di dong en fan fang fei fen feng fu gang gao ge gong guang gui guo hai han hang hao he heng hong hua huan hui huo ji jia jian jiang jiao jie jin jing jiu jun kai kang ke kun lan lang le lei li lian liang lin ling long lu lun luo man mao mei meng mian miao min ming na nan ni nian ning pei peng ping qi qian qiang qiao qin qing qiu quan qun ran ren rong rou ru rui run sai sen shan shang shao shen sheng shi shu shuai shuang shun si song su tai tao teng tian ting tong wan wei wen wu xi xia xian xiang xiao xin xing xiong xiu xu xuan xue xun ya yan yang yao ye yi yin ying yong you yu yuan yue yun ze zhan zhang zhao zhe zhen zheng zhi zhong zhou zhu zhuo zi zong zu',
  },
}
