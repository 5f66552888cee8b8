import { DIGIT, kindOf, LENGTH_MAX, LETTER, type Reading, SEPARATOR } from './string-reading.ts'
import { SHAPE_KINDS, SHAPE_SLOTS, writeShape } from './string-shape.ts'

/** Pairs, triples and quadruples of characters share this many weights; a hash selects the weight. */
const GRAM_SLOT_BITS = 15
export const GRAM_SLOTS = 1 << GRAM_SLOT_BITS

/** The number of weights of the model. */
export const SLOTS = GRAM_SLOTS + SHAPE_SLOTS

/** Three grams for each character and for the end, and one bucket of each kind of shape. */
const FEATURES_MAX = 3 * (LENGTH_MAX + 1) + SHAPE_KINDS

/** The weights that a string selects. Reused, so that scoring allocates nothing. */
export type Features = { slots: Uint16Array; length: number }

export function newFeatures(): Features {
  return { slots: new Uint16Array(FEATURES_MAX), length: 0 }
}

/**
 * The features of a string: hashed grams of its characters, and buckets of its shape. The trainer and the scorer both use this
 * function, so their features are the same.
 */
export function writeFeatures(reading: Reading, features: Features): void {
  writeShape(reading, features.slots, GRAM_SLOTS)
  features.length = SHAPE_KINDS
  writeGrams(reading, features)
}

/** The last four signs, five bits each; a new sign replaces the oldest one. The text begins and ends with a boundary. */
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

/** Multiplicative hash: the upper bits of the product depend on all bits of the gram. */
function slotOf(gram: number): number {
  return Math.imul(gram, 0x9e3779b1) >>> (32 - GRAM_SLOT_BITS)
}

const BOUNDARY = 31
const ANY_DIGIT = 27
const ANY_SEPARATOR = 28
const ANY_OTHER = 29

/** All digits are one sign, and so are all separators. */
const SIGNS = Uint8Array.from({ length: 128 }, (_, code) => {
  const kind = kindOf(code)
  if (kind & LETTER) return code - 96
  if (kind & DIGIT) return ANY_DIGIT
  return kind & SEPARATOR ? ANY_SEPARATOR : ANY_OTHER
})

function signOf(code: number): number {
  return SIGNS[code] ?? ANY_OTHER
}
