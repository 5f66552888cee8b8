import { below, pick, type Random } from './random.ts'

const ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm', '1234567890']

/** Random key presses: a hand stays on a row, jumps, rolls over neighboring keys, and repeats itself. */
export function mash(random: Random, length: number): string {
  const kind = random()
  if (kind < 0.22) return roll(random, length)
  if (kind < 0.4) return repeat(random, length)
  return wander(random, length)
}

/** From key to key: mostly on the home row, mostly a short distance, sometimes with the other hand. */
function wander(random: Random, length: number): string {
  const loyalty = 0.55 + random() * 0.4
  let row = random() < 0.75 ? 1 : below(random, 3)
  let column = below(random, 9)
  let text = ''
  while (text.length < length) {
    const keys = ROWS[row] ?? ''
    text += keys[column % keys.length] ?? ''
    if (random() > loyalty) row = below(random, random() < 0.08 ? 4 : 3)
    const otherHand = random() < 0.38
    column = otherHand ? (column + 5) % 10 : (column + 10 + below(random, 7) - 3) % 10
  }
  return text
}

/** Fingers of one hand in order along a row, then possibly in the other direction or on another row. */
function roll(random: Random, length: number): string {
  let text = ''
  while (text.length < length) {
    const keys = pick(random, ROWS.slice(0, random() < 0.9 ? 3 : 4))
    const from = below(random, keys.length - 3)
    const piece = keys.slice(from, from + 3 + below(random, 5))
    text += random() < 0.7 ? piece : [...piece].toReversed().join('')
  }
  return text.slice(0, length)
}

/** A short sequence repeated, with occasional errors. */
function repeat(random: Random, length: number): string {
  const piece = random() < 0.5 ? roll(random, 2 + below(random, 4)) : wander(random, 2 + below(random, 4))
  let text = ''
  while (text.length < length) {
    const slip = random() < 0.25
    text += slip ? piece.slice(below(random, 2), piece.length - below(random, 2)) || piece : piece
  }
  return text.slice(0, length)
}
