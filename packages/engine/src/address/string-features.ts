/** The longest local part that SMTP allows (RFC 5321 §4.5.3.1.1). The rest of a longer one is ignored. */
const LENGTH_MAX = 64

/** A local part as the model reads it: lower case, without tag and quotes. Reused, so that scoring allocates nothing. */
type Reading = { codes: Uint8Array; length: number; ascii: boolean }

export function newReading(): Reading {
  return { codes: new Uint8Array(LENGTH_MAX), length: 0, ascii: true }
}

const PLUS = 43
const QUOTE = 34
const BACKSLASH = 92

/** Reads a local part into `reading`. A plus at the beginning does not start a tag, because nothing would be left. */
export function readLocal(local: string, reading: Reading): void {
  reading.length = 0
  reading.ascii = true
  for (let at = 0; at < local.length; at += 1) {
    const code = local.charCodeAt(at)
    if (code > 127) {
      reading.ascii = false
      return
    }
    if (code === QUOTE || code === BACKSLASH) continue
    if (code === PLUS && reading.length > 0) return
    if (reading.length === LENGTH_MAX) continue
    reading.codes[reading.length] = code >= 65 && code <= 90 ? code + 32 : code
    reading.length += 1
  }
}

/** Character classes as bits, since a character has several: `a` is a letter, a vowel, hexadecimal and on the home row. */
const LETTER = 1
const VOWEL = 2
const DIGIT = 4
const SEPARATOR = 8
const HEXADECIMAL = 16
const HOME_ROW = 32

const KINDS = new Uint8Array(128)
mark('abcdefghijklmnopqrstuvwxyz', LETTER)
mark('aeiouy', VOWEL)
mark('0123456789', DIGIT)
mark('.-_', SEPARATOR)
mark('0123456789abcdef', HEXADECIMAL)
mark('asdfghjkl', HOME_ROW)

function mark(characters: string, kind: number): void {
  for (const character of characters) {
    const code = character.charCodeAt(0)
    KINDS[code] = (KINDS[code] ?? 0) | kind
  }
}

function kindOf(code: number): number {
  return KINDS[code] ?? 0
}

/** Why the model does not score a string: some countries and organizations assign identifiers that look random. */
export type Abstention = 'not_ascii' | 'all_digits' | 'too_short' | 'id_like'

/** Shorter strings can be initials as well as generated text. */
const SIGNS_MIN = 5

export function abstain(reading: Reading): Abstention | undefined {
  if (!reading.ascii) return 'not_ascii'
  countIdRuns(reading)
  if (runs.letters === 0 && runs.digits > 0) return 'all_digits'
  if (runs.letters + runs.digits < SIGNS_MIN) return 'too_short'
  return isIdLike() ? 'id_like' : undefined
}

/** The runs of letters and of digits, without separators. Reused for every string. */
const runs = { letters: 0, digits: 0, count: 0, lengths: new Uint8Array(64), digitFirst: false }

function countIdRuns({ codes, length }: Reading): void {
  runs.letters = runs.digits = runs.count = 0
  let previous = 0
  for (let at = 0; at < length; at += 1) {
    const kind = kindOf(codes[at] ?? 0) & (LETTER | DIGIT)
    if (kind === 0) continue
    if (kind === LETTER) runs.letters += 1
    else runs.digits += 1
    if (runs.count === 0) runs.digitFirst = kind === DIGIT
    if (kind !== previous) {
      runs.lengths[runs.count] = 0
      runs.count += 1
    }
    runs.lengths[runs.count - 1] = (runs.lengths[runs.count - 1] ?? 0) + 1
    previous = kind
  }
}

/**
 * Ids of students, employees and customers: up to four letters and a number (`b00123456`), a number and one or two letters
 * (`12345678x`), or a year, a course and a number (`21bce1234`).
 */
function isIdLike(): boolean {
  const [first = 0, second = 0, third = 0] = runs.lengths
  if (runs.count === 2) return runs.digitFirst ? first >= 4 && second <= 2 : first <= 4 && second >= 3
  if (runs.count !== 3) return false
  if (runs.digitFirst) return first <= 4 && second >= 2 && second <= 4 && third >= 2 && runs.digits >= 4
  return first <= 4 && second >= 4 && third <= 2
}

/** Counts for one string. Reused for every string. */
const count = {
  letters: 0,
  vowels: 0,
  digits: 0,
  separators: 0,
  hexadecimal: 0,
  homeRow: 0,
  changes: 0,
  distinct: 0,
  consonantRun: 0,
  vowelRun: 0,
  sameRun: 0,
  keyRun: 0,
  nearPairs: 0,
  repeatedPairs: 0,
  leadingDigits: 0,
  trailingDigits: 0,
}

/** The number of buckets of each kind of shape, in the order of `measureShape`. */
const SIZES = [18, 9, 8, 6, 4, 2, 5, 8, 5, 5, 8, 44, 44, 11, 11, 11, 8, 16]

const OFFSETS = SIZES.map((_, index) => SIZES.slice(0, index).reduce((sum, size) => sum + size, 0))

const SHAPE_SLOTS = SIZES.reduce((sum, size) => sum + size, 0)
const SHAPE_KINDS = SIZES.length

/** Writes the bucket of a string for each kind of shape, beginning with slot `first`. */
function writeShape(reading: Reading, slots: Uint16Array, first: number): void {
  countCharacters(reading)
  countRuns(reading)
  countPairs(reading)
  measureShape(reading)
  for (let kind = 0; kind < SHAPE_KINDS; kind += 1) {
    const last = (SIZES[kind] ?? 1) - 1
    const bucket = buckets[kind] ?? 0
    slots[kind] = first + (OFFSETS[kind] ?? 0) + Math.min(bucket, last)
  }
}

const buckets = new Uint8Array(SHAPE_KINDS)

function measureShape(reading: Reading): void {
  const { letters, digits } = count
  const signs = letters + digits
  // A share means more in a long string than in a short one, so each has its own buckets.
  const long = signs < 7 ? 0 : signs < 9 ? 1 : signs < 13 ? 2 : 3
  const allHexadecimal = count.hexadecimal === signs ? 1 : 0
  buckets[0] = signs
  buckets[1] = digits
  buckets[2] = count.changes
  buckets[3] = count.trailingDigits
  buckets[4] = count.separators
  buckets[5] = endsInYear(reading) ? 1 : 0
  buckets[6] = count.leadingDigits
  buckets[7] = count.consonantRun
  buckets[8] = count.vowelRun
  buckets[9] = count.sameRun
  buckets[10] = count.keyRun
  buckets[11] = long * 11 + tenths(count.vowels, letters)
  buckets[12] = long * 11 + tenths(count.distinct, signs)
  buckets[13] = tenths(count.nearPairs, reading.length - 1)
  buckets[14] = tenths(count.homeRow, letters)
  buckets[15] = tenths(count.repeatedPairs, reading.length - 1)
  buckets[16] = allHexadecimal * 4 + Math.min(digits, 3)
  buckets[17] = long * 4 + Math.min(count.changes, 3)
}

function tenths(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.floor((part * 10) / whole)
}

/** The letters and digits that occur are stored as bits, so that counting distinct ones needs no set. */
function countCharacters({ codes, length }: Reading): void {
  let seenLetters = 0
  let seenDigits = 0
  count.letters = count.vowels = count.digits = count.separators = 0
  count.hexadecimal = count.homeRow = 0
  for (let at = 0; at < length; at += 1) {
    const code = codes[at] ?? 0
    const kind = kindOf(code)
    if (kind & LETTER) {
      count.letters += 1
      seenLetters |= 1 << (code - 97)
    }
    if (kind & VOWEL) count.vowels += 1
    if (kind & DIGIT) {
      count.digits += 1
      seenDigits |= 1 << (code - 48)
    }
    if (kind & SEPARATOR) count.separators += 1
    if (kind & HEXADECIMAL) count.hexadecimal += 1
    if (kind & HOME_ROW) count.homeRow += 1
  }
  count.distinct = countBits(seenLetters) + countBits(seenDigits)
}

function countBits(bits: number): number {
  let left = bits
  let found = 0
  for (; left !== 0; left &= left - 1) found += 1
  return found
}

function countRuns({ codes, length }: Reading): void {
  let consonants = 0
  let vowels = 0
  let same = 0
  let previous = 0
  count.changes = count.consonantRun = count.vowelRun = count.sameRun = 0
  count.leadingDigits = count.trailingDigits = 0
  for (let at = 0; at < length; at += 1) {
    const code = codes[at] ?? 0
    const kind = kindOf(code)
    const isDigit = (kind & DIGIT) !== 0
    consonants = (kind & (LETTER | VOWEL)) === LETTER ? consonants + 1 : 0
    vowels = kind & VOWEL ? vowels + 1 : 0
    same = code === previous ? same + 1 : 1
    if (at > 0 && isDigit !== ((kindOf(previous) & DIGIT) !== 0)) count.changes += 1
    if (isDigit && count.leadingDigits === at) count.leadingDigits += 1
    count.trailingDigits = isDigit ? count.trailingDigits + 1 : 0
    if (consonants > count.consonantRun) count.consonantRun = consonants
    if (vowels > count.vowelRun) count.vowelRun = vowels
    if (same > count.sameRun) count.sameRun = same
    previous = code
  }
}

/** Positions of the keys of a QWERTY keyboard in half key widths, because each row is offset from the next. */
const KEY_ROWS = ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm']
const KEY_X = new Int8Array(128).fill(-100)
const KEY_Y = new Int8Array(128)
for (const [y, row] of KEY_ROWS.entries()) {
  for (const [x, key] of [...row].entries()) {
    KEY_X[key.charCodeAt(0)] = 2 * x + y
    KEY_Y[key.charCodeAt(0)] = y
  }
}

/** Pairs of adjacent keys, runs along one row, and repeated pairs: the patterns of random typing. */
function countPairs({ codes, length }: Reading): void {
  let run = 1
  count.keyRun = length > 0 ? 1 : 0
  count.nearPairs = count.repeatedPairs = 0
  for (let at = 1; at < length; at += 1) {
    const before = codes[at - 1] ?? 0
    const code = codes[at] ?? 0
    const across = Math.abs((KEY_X[before] ?? 0) - (KEY_X[code] ?? 0))
    const down = Math.abs((KEY_Y[before] ?? 0) - (KEY_Y[code] ?? 0))
    if (across <= 2 && down <= 1 && before !== code) count.nearPairs += 1
    run = across === 2 && down === 0 ? run + 1 : 1
    if (run > count.keyRun) count.keyRun = run
    if (occurredBefore(codes, at)) count.repeatedPairs += 1
  }
}

function occurredBefore(codes: Uint8Array, at: number): boolean {
  for (let earlier = 1; earlier < at - 1; earlier += 1) {
    if (codes[earlier] === codes[at] && codes[earlier - 1] === codes[at - 1]) return true
  }
  return false
}

/** Plausible years of birth or of registration in an address. */
function endsInYear({ codes, length }: Reading): boolean {
  if (count.trailingDigits !== 4 || length < 4) return false
  const century = ((codes[length - 4] ?? 0) - 48) * 10 + (codes[length - 3] ?? 0) - 48
  const decade = (codes[length - 2] ?? 0) - 48
  return (century === 19 && decade >= 4) || (century === 20 && decade <= 2)
}

/** Pairs, triples and quadruples of characters share this many weights; a hash selects the weight. */
const GRAM_SLOT_BITS = 15
export const GRAM_SLOTS = 1 << GRAM_SLOT_BITS

/** The number of weights of the model. */
export const SLOTS = GRAM_SLOTS + SHAPE_SLOTS

/** Three grams for each character and for the end, and one bucket of each kind of shape. */
const FEATURES_MAX = 3 * (LENGTH_MAX + 1) + SHAPE_KINDS

/** The weights that a string selects. Reused, so that scoring allocates nothing. */
type Features = { slots: Uint16Array; length: number }

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
