import { SYLLABLES } from './data/syllables.ts'
import { pick, type Random } from './random.ts'

export type Person = { first: string; last: string }

const JAPANESE = readParts(SYLLABLES.japanese)
const KOREAN = readParts(SYLLABLES.korean)
const PINYIN = readParts(SYLLABLES.pinyin)

/** A name of Japan, Korea or China in Latin letters. Japanese family names have two parts, the others one. */
export function composeEastAsian(random: Random): Person {
  const parts = pick(random, [JAPANESE, KOREAN, PINYIN])
  const last = pick(random, parts.family) + (parts === JAPANESE ? pick(random, parts.family) : '')
  const first = pick(random, parts.given) + (random() < 0.8 ? pick(random, parts.given) : '')
  return { first, last }
}

function readParts({ family, given }: { family: string; given: string }): { family: string[]; given: string[] } {
  return { family: family.split(' '), given: given.split(' ') }
}
