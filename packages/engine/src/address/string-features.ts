import { DIGIT, kindOf, LENGTH_MAX, LETTER, type Reading, SEPARATOR } from './string-reading.ts'
import { SHAPE_KINDS, SHAPE_SLOTS, writeShape } from './string-shape.ts'

/** Pairs, triples and quadruples of characters share this many weights; which one is theirs, a hash says. */
const GRAM_SLOT_BITS = 15
export const GRAM_SLOTS = 1 << GRAM_SLOT_BITS

/** How many weights the model has. */
export const SLOTS = GRAM_SLOTS + SHAPE_SLOTS

/** Three grams for each character and for the end, and one bucket of each kind of shape. */
const FEATURES_MAX = 3 * (LENGTH_MAX + 1) + SHAPE_KINDS

/** Which weights count for a string. Filled anew, so that scoring allocates nothing. */
export type Features = { slots: Uint16Array; length: number }

export function newFeatures(): Features {
  return { slots: new Uint16Array(FEATURES_MAX), length: 0 }
}

/**
 * What the model sees of a string: hashed grams of its characters, and its shape in buckets. The trainer and the scorer
 * both look through this function, so they cannot see different things.
 */
export function writeFeatures(reading: Reading, features: Features): void {
  writeShape(reading, features.slots, GRAM_SLOTS)
  features.length = SHAPE_KINDS
  writeGrams(reading, features)
}

/** The last four signs, five bits each: a sign pushes the oldest one out. The text begins and ends in a boundary. */
function writeGrams({ codes, length }: Reading, features: Features): void {
  let last = BOUNDARY
  let end = features.length
  for (let at = 0; at <= length; at += 1) {
    last = ((last << 5) | (at === length ? BOUNDARY : signOf(codes[at] ?? 0))) & 0xfffff
    features.slots[end] = slotOf(last & 0x3ff)
    features.slots[end + 1] = slotOf((last & 0x7fff) | (1 << 20))
    features.slots[end + 2] = slotOf(last | (2 << 20))
    end += 3
  }
  features.length = end
}

/** Multiplied by a large odd number, the upper bits of a product depend on all bits of the gram. */
function slotOf(gram: number): number {
  return Math.imul(gram, 0x9e3779b1) >>> (32 - GRAM_SLOT_BITS)
}

const BOUNDARY = 31
const ANY_DIGIT = 27
const ANY_SEPARATOR = 28
const ANY_OTHER = 29

/** One digit is as good as another, and so is one separator. */
const SIGNS = Uint8Array.from({ length: 128 }, (_, code) => {
  const kind = kindOf(code)
  if (kind & LETTER) return code - 96
  if (kind & DIGIT) return ANY_DIGIT
  return kind & SEPARATOR ? ANY_SEPARATOR : ANY_OTHER
})

function signOf(code: number): number {
  return SIGNS[code] ?? ANY_OTHER
}
