import { formatNumber, formatShare } from '../../../ui/format.ts'

/** Closer to 0 or 1 than this, the example uses 1,000 messages, because 100 would round the difference off. */
const NEAR_AN_END = 0.05
/** The lowest and the highest deliverability that the service reports. */
const SUREST = { low: 0.001, high: 0.999 }

/** The deliverability as a percentage and as a number of messages. */
export function chanceSentence(p: number): string {
  const of = p > 1 - NEAR_AN_END || p < NEAR_AN_END ? 1_000 : 100
  const n = Math.round(p * of)
  if (p <= SUREST.low) return `Estimated deliverability: ${formatShare(SUREST.low)} or less.`
  const sentence = `Estimated deliverability: ${formatShare(p)} (about ${n} of ${formatNumber(of)} messages do not bounce).`
  return p >= SUREST.high ? `${sentence} This is the highest value that is reported.` : sentence
}

export type Leaning = { side: 'for' | 'against' | 'neither'; words: string }

/** Lower bounds in log-odds: 0.5 multiplies the odds by 1.6, 1.5 by 4.5. */
const STRENGTHS: [number, string][] = [
  [1.5, 'Strong'],
  [0.5, 'Moderate'],
  [0.05, 'Slight'],
]

/** Whether a finding raises or lowers the deliverability, and how much. */
export function leaningOf(logOdds: number): Leaning {
  const strength = STRENGTHS.find(([from]) => Math.abs(logOdds) >= from)
  if (strength === undefined) return { side: 'neither', words: 'Neutral.' }
  return logOdds > 0
    ? { side: 'for', words: `${strength[1]} positive signal.` }
    : { side: 'against', words: `${strength[1]} negative signal.` }
}
