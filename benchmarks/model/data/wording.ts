/** Languages whose words are spelled as pronounced, or nearly so after any-ascii has transliterated them. */
export const LANGUAGES =
  'afrikaans albanian catalan czech danish dutch english esperanto estonian finnish french german greek hungarian indonesian italian latvian lithuanian norwegian polish portuguese romanian russian slovak slovenian spanish swedish turkish ukrainian vietnamese'

/** Words that people add before and after a name or a word. */
export const AFFIXES =
  'the mr its im real my not dr x i hq dev js io tv official xx team mail web info labs soft tech online studio group app co inc design code music art gamer pro'

/** Affixes that make new words. */
export const ENDINGS = 'x xx z y r ify er ster o ie ix ex zzz eee'

/** Numbers that are chosen for their looks. */
export const POPULAR_NUMBERS = '123 1234 007 01 777 111 321 12 69 99 00 11 88 2k'

/** Digits that look like a letter. */
export const DISGUISES: Readonly<Record<string, string>> = {
  a: '4',
  b: '8',
  e: '3',
  g: '9',
  i: '1',
  l: '1',
  o: '0',
  s: '5',
  t: '7',
  z: '2',
}
