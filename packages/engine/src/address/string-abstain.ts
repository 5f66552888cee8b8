import { DIGIT, kindOf, LETTER, type Reading } from './string-reading.ts'

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
