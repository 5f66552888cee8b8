/**
 * Common names of languages that no small package lists in Latin letters, spelled as in passports and email addresses.
 * Written for the evaluation: the trainer never sees this file.
 */
export const NAMES_BY_HAND: Readonly<Record<string, { first: string; last: string }>> = {
  arabic: {
    first:
      'mohammed ahmed ali omar khaled youssef ibrahim hassan hussein mahmoud mustafa tariq faisal abdullah abdulrahman sami nasser karim walid bilal hamza anas amr ziad rami fahad saud majed turki badr fatima aisha mariam khadija zainab noura sara layla huda amal rania dina hanan salma yasmin nadia samira reem lina maha ghada abeer asma shaima',
    last: 'alharbi alqahtani alghamdi alzahrani alshehri almutairi aldosari hassan hussein mansour khalil haddad najjar khoury saleh salem abdelrahman elsayed elmasry abdallah nasser farouk shaheen qasim hamdan darwish bakr othman sulaiman jaber almansoori alhashimi alnuaimi benali bouzid cherif mansouri zidan elkhatib barakat masoud ghanem rashid tawfik zaki fathi shawky awad hijazi',
  },
  turkish: {
    first:
      'mehmet mustafa ahmet ali huseyin hasan ibrahim ismail osman yusuf murat omer ramazan halil suleyman abdullah mahmut recep salih fatih kadir emre hakan adem kemal yasin burak serkan tolga onur fatma ayse emine hatice zeynep elif meryem serife sultan zehra hanife merve havva zeliha esra ozlem gulsah busra tugba kubra sevgi nurcan derya yagmur',
    last: 'yilmaz kaya demir celik sahin yildiz yildirim ozturk aydin ozdemir arslan dogan kilic aslan cetin kara koc kurt ozkan simsek polat korkmaz ozcan cakir erdogan yavuz can acar sen aktas guler yalcin gunes bozkurt bulut keskin unal turan gul ozer isik kaplan avci sari tekin tas kose yuksel ates aksoy',
  },
  vietnamese: {
    first:
      'anh bao binh chau cuong dat dung duc duy giang ha hai hanh hieu hoa hoang hung huong huy khanh khoa kien lan linh long mai minh my nam nga ngan nghia ngoc nhan nhung phong phuc phuong quan quang quynh son tai tam thang thanh thao thinh thu thuy tien trang tri trinh trung tu tuan tung tuyet van viet vinh vy xuan yen',
    last: 'nguyen tran le pham hoang huynh phan vu vo dang bui do ho ngo duong ly dinh truong mai dao lam luong trinh cao ta quach nguyenvan nguyenthi tranthi levan phamngoc tranduc hoangminh dangquoc buithi ledinh vuthanh phanvan dohuu truongthi',
  },
  nigerian: {
    first:
      'chinedu emeka ifeanyi obinna chukwuemeka nnamdi uche kelechi ikenna chidi tobenna somtochukwu adaeze ngozi chioma nkechi ifeoma amarachi chiamaka oluwaseun oluwatobi babatunde adebayo olumide ayodeji temitope folake yetunde bukola titilayo damilola oluwakemi abimbola tunde segun femi kunle musa abubakar usman aminu sani aisha zainab halima hauwa ibrahim yakubu efosa osaze ehizogie ebiere tamuno ekong itoro',
    last: 'okafor okonkwo eze nwosu okeke obi nwachukwu onyekachi chukwu igwe umeh azikiwe ogbonna anyanwu adeyemi adebayo ogunleye oyedepo balogun adeleke afolabi olaniyan akinwande ojo oladipo fashola ogundipe ajayi bello mohammed abdullahi danjuma yusuf lawal garba shehu dangote bala osagie igbinedion omoregie edet bassey effiong okon udoh akpan ekpo dokubo wariboko',
  },
  polish: {
    first:
      'piotr krzysztof andrzej tomasz jan pawel michal marcin jakub adam marek lukasz grzegorz mateusz wojciech mariusz dariusz zbigniew jerzy maciej rafal robert kamil jacek zdzislaw przemyslaw szymon bartosz kacper wieslaw anna katarzyna maria malgorzata agnieszka barbara ewa krystyna magdalena elzbieta joanna aleksandra zofia monika teresa danuta natalia julia karolina justyna beata grazyna bozena wanda',
    last: 'nowak kowalski wisniewski wojcik kowalczyk kaminski lewandowski zielinski szymanski wozniak dabrowski kozlowski jankowski mazur wojciechowski kwiatkowski krawczyk kaczmarek piotrowski grabowski zajac pawlowski michalski krol wieczorek jablonski wrobel nowakowski majewski olszewski stepien malinowski jaworski adamczyk dudek nowicki pawlak gorski witkowski walczak sikora baran rutkowski szczepanski szewczyk ostrowski tomaszewski pietrzak zalewski wroblewski',
  },
  chinese: {
    first:
      'wei fang na xiuying min jing li qiang lei jun yang yong yan jie juan tao ming chao xiulan xia ping gang guiying hao yu xin ting bo peng hui bin fei lin kai xue zhiqiang jianguo jianhua xiaoming xiaohong xiaoyan zihan yuxuan haoran mingze yichen zixuan xinyi yutong shihan ruoxi guoqiang zhenhua wenjie junjie yaqin shuzhen',
    last: 'wang li zhang liu chen yang zhao huang zhou wu xu sun hu zhu gao lin he guo ma luo liang song zheng xie han tang feng yu dong xiao cheng cao yuan deng fu shen zeng peng lu su jiang cai jia ding wei xue ye yan pan du dai xia zhong tian ren fan fang shi yao liao zou xiong jin hao kong bai cui kang mao qiu qin gu hou shao meng long wan duan qian tan yin',
  },
  korean: {
    first:
      'minjun seojun doyun yejun siwoo hajun jiho junwoo jihoon gunwoo hyunwoo woojin minjae hyunjun sungmin donghyun jaehyun taehyung seungho youngho kyungsoo sangwoo dongwook inho seoyeon seoyun jiwoo seohyun haeun hayoon minseo jiyoo yoonseo chaewon jimin sujin hyejin eunji minji yuna soyoung jiyoung mikyung hyunjoo kyunghee eunkyung youngsook sunhee jisoo nayeon dahyun yerin seulgi',
    last: 'kim lee park choi jung kang cho yoon jang lim han oh seo shin kwon hwang ahn song ryu jeon hong ko moon yang son bae baek heo yoo nam shim noh ha kwak sung cha joo woo koo min jin ji um chae won cheon bang kong hyun ham byun yeom chu do',
  },
  japanese: {
    first:
      'haruto yuto sota yuki hayato haruki ryusei koki sora sosuke riku kaito daiki takumi kenta shota naoki tsubasa ryota daisuke takashi hiroshi kenji makoto satoshi kazuya tetsuya masahiro yusuke shinji yui rio hina koharu mio rin aoi miyu saki yuna sakura nanami misaki ayaka haruka mai yoko keiko yumiko tomoko naoko kumiko mayumi akiko emi chihiro asuka kaori megumi',
    last: 'sato suzuki takahashi tanaka watanabe ito yamamoto nakamura kobayashi kato yoshida yamada sasaki yamaguchi matsumoto inoue kimura hayashi shimizu yamazaki mori abe ikeda hashimoto yamashita ishikawa nakajima maeda fujita ogawa goto okada hasegawa murakami kondo ishii saito sakamoto endo aoki fujii nishimura fukuda ota miura fujiwara okamoto matsuda nakagawa nakano harada ono tamura takeuchi kaneko wada nakayama ishida ueda morita',
  },
}

/** Korean names in Hangul, for people who type them with the keyboard in Latin mode. */
export const HANGUL_NAMES = {
  family:
    '김 이 박 최 정 강 조 윤 장 임 한 오 서 신 권 황 안 송 류 전 홍 고 문 양 손 배 백 허 유 남 심 노 하 곽 성 차 주 우 구 민',
  given:
    '민준 서준 도윤 예준 시우 하준 지호 준우 지훈 건우 현우 우진 민재 현준 성민 동현 재현 태형 승호 영호 경수 상우 동욱 인호 서연 서윤 지우 서현 하은 하윤 민서 지유 윤서 채원 지민 수진 혜진 은지 민지 유나 소영 지영 미경 현주 경희 은경 영숙 순희 지수 나연 다현 예린 슬기 철수 영철 광수 진수 명희 정희 옥순',
}
