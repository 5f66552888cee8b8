import { AFFIXES, DISGUISES, ENDINGS } from './data/wording.ts'
import { ending, SEPARATORS } from './endings.ts'
import { below, draw, pick, type Random } from './random.ts'
import { personOf, type Sources, vocabularyOf, wordOf } from './sources.ts'

const AFFIX_LIST = AFFIXES.split(' ')
const ENDING_LIST = ENDINGS.split(' ')

/** Nicknames, shops and offices: words, alone or with another word, a name or a number. */
export function ofWords(random: Random, sources: Sources): string {
  const words = vocabularyOf(random, sources)
  const word = pick(random, words)
  const separator = pick(random, SEPARATORS)
  const { first, last } = personOf(random, sources)
  const text = pick(random, [
    word,
    word + separator + pick(random, words),
    word + separator + pick(random, words),
    word + separator + first,
    first + separator + word,
    last + separator + word,
    pick(random, AFFIX_LIST) + separator + word,
    word + separator + pick(random, AFFIX_LIST),
    pick(random, AFFIX_LIST) + separator + first,
    first + separator + pick(random, AFFIX_LIST),
    first.slice(0, 2 + below(random, 3)) + word.slice(0, 2 + below(random, 4)),
    stretch(random, word),
  ])
  return text + ending(random)
}

/** The initial letters of shortened words and names, by frequency. */
const INITIALS = 'aabbccdddeeffgghhiijjjkklllmmmnnooppqrrrsssttuvvwwxyyz'

/**
 * Names chosen when the plain ones were taken: parts, abbreviations, numbers in front and in between, digits for
 * letters.
 */
export function ofNickname(random: Random, sources: Sources): string {
  const word = wordOf(random, sources)
  const other = random() < 0.5 ? wordOf(random, sources) : personOf(random, sources).first
  const short = draw(random, INITIALS, 2 + below(random, 3))
  const separator = pick(random, SEPARATORS)
  return pick(random, [
    disguise(random, word) + ending(random),
    draw(random, '0123456789', 1 + below(random, 4)) + separator + word,
    word + pick(random, '24') + other,
    short + separator + word,
    word + separator + short,
    short + pick(random, AFFIX_LIST),
    piece(random, word) + piece(random, other),
    piece(random, word) + piece(random, other) + ending(random),
    piece(random, word) + piece(random, other) + piece(random, wordOf(random, sources)),
    word + pick(random, ENDING_LIST),
    stretch(random, word),
    dropVowels(word) + separator + other,
    word + separator + other + separator + wordOf(random, sources),
  ])
}

/** Names and words without the vowels after the first letter. */
export function ofBareConsonants(random: Random, sources: Sources): string {
  const { first, last } = personOf(random, sources)
  const bare = dropVowels(pick(random, [last, first, wordOf(random, sources)]))
  const text = pick(random, [bare, first.slice(0, 1) + bare, bare + pick(random, AFFIX_LIST), first + bare.slice(0, 3)])
  return text + ending(random)
}

function dropVowels(word: string): string {
  return word.slice(0, 1) + word.slice(1).replaceAll(/[aeiou]/g, '')
}

function piece(random: Random, word: string): string {
  const from = random() < 0.75 ? 0 : below(random, Math.max(1, word.length - 3))
  return word.slice(from, from + 2 + below(random, 4))
}

/** Letters replaced by similar digits. */
function disguise(random: Random, word: string): string {
  const zeal = 0.2 + random() * 0.8
  return word.replaceAll(/[abegilostz]/g, (letter) => (random() < zeal ? (DISGUISES[letter] ?? letter) : letter))
}

/** A repeated letter, as when a key is held down. */
function stretch(random: Random, word: string): string {
  const at = random() < 0.5 ? word.length - 1 : below(random, word.length)
  return word.slice(0, at) + word.slice(at, at + 1).repeat(2 + below(random, 3)) + word.slice(at + 1)
}
