import { mash } from './mash.ts'
import { below, draw, pick, type Random } from './random.ts'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const CONSONANTS = 'bcdfghjklmnpqrstvwxz'
const DIGITS = '0123456789'
const HEXADECIMAL = '0123456789abcdef'

/** Local parts that no person chose: random strings, or random key presses. One seed, one list. */
export function makeMachines(random: Random, count: number, names: readonly string[]): string[] {
  return Array.from({ length: count }, () => makeOne(random, names))
}

function makeOne(random: Random, names: readonly string[]): string {
  const kind = random()
  if (kind < 0.24) return draw(random, LETTERS, lengthOf(random))
  if (kind < 0.42) return draw(random, LETTERS + DIGITS, lengthOf(random))
  if (kind < 0.5) return draw(random, HEXADECIMAL, 6 + below(random, 27))
  if (kind < 0.56) return draw(random, CONSONANTS, lengthOf(random))
  if (kind < 0.6) return draw(random, `${LETTERS + LETTERS + DIGITS}_-.`, lengthOf(random))
  if (kind < 0.64) return draw(random, partOf(random), lengthOf(random))
  if (kind < 0.9) return mash(random, 5 + below(random, 12))
  if (kind < 0.94) return draw(random, LETTERS, lengthOf(random)) + draw(random, DIGITS, 1 + below(random, 5))
  if (kind < 0.97) return pick(random, names).slice(0, 6) + draw(random, LETTERS + DIGITS, 6 + below(random, 6))
  return draw(random, LETTERS, 2 + below(random, 2)).repeat(3 + below(random, 2))
}

/** Most generators create names of eight to twelve characters. */
function lengthOf(random: Random): number {
  return random() < 0.75 ? 5 + below(random, 9) : 12 + below(random, 14)
}

/** Some generators use a part of the alphabet only. */
function partOf(random: Random): string {
  const from = below(random, 14)
  return LETTERS.slice(from, from + 8 + below(random, 12))
}
