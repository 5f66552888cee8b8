import { DIGIT, HEXADECIMAL, HOME_ROW, kindOf, LETTER, type Reading, SEPARATOR, VOWEL } from './string-reading.ts'

/** What is counted of a string. Reused from one to the next. */
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

/** How many buckets each kind of shape has. Their order is that of `measureShape`. */
const SIZES = [18, 9, 8, 6, 4, 2, 5, 8, 5, 5, 8, 44, 44, 11, 11, 11, 8, 16]

const OFFSETS = SIZES.map((_, index) => SIZES.slice(0, index).reduce((sum, size) => sum + size, 0))

export const SHAPE_SLOTS = SIZES.reduce((sum, size) => sum + size, 0)
export const SHAPE_KINDS = SIZES.length

/** Writes which bucket a string falls into, one for each kind of shape, beginning with slot `first`. */
export function writeShape(reading: Reading, slots: Uint16Array, first: number): void {
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
  // Shares mean more in a long string than in a short one, so they are told apart by length.
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

/** Which letters and digits occurred is kept as bits, so that counting different ones needs no set. */
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

/** Pairs of neighbouring keys, runs along one row, and pairs that occurred before: what hands do when heads do not. */
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

/** Years in which people who write mail were born or took an address. */
function endsInYear({ codes, length }: Reading): boolean {
  if (count.trailingDigits !== 4 || length < 4) return false
  const century = ((codes[length - 4] ?? 0) - 48) * 10 + (codes[length - 3] ?? 0) - 48
  const decade = (codes[length - 2] ?? 0) - 48
  return (century === 19 && decade >= 4) || (century === 20 && decade <= 2)
}
