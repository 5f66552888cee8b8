import { formatNumber } from '../ui/format.ts'

/** Nearer to the ends than this, a hundred messages are too few to tell one chance from another. */
const NEAR_AN_END = 0.05
/** The service claims nothing surer than these. */
const SUREST = { low: 0.001, high: 0.999 }

/** The chance for somebody who counts in messages. */
export function chanceSentence(p: number): string {
  const of = p > 1 - NEAR_AN_END || p < NEAR_AN_END ? 1_000 : 100
  const n = Math.round(p * of)
  if (p <= SUREST.low) return 'Of 1,000 such messages, hardly one would not bounce.'
  const sentence = `Of ${formatNumber(of)} such messages, about ${n} would not bounce.`
  return p >= SUREST.high ? `${sentence} More than that nobody can promise.` : sentence
}

export type Leaning = { side: 'for' | 'against' | 'neither'; words: string }

/** From so many log-odds on. Half of one makes the odds two thirds better, one and a half more than four times as good. */
const STRENGTHS: [number, string][] = [
  [1.5, 'strongly'],
  [0.5, 'somewhat'],
  [0.05, 'slightly'],
]

/** For or against the address, and how much. */
export function leaningOf(logOdds: number): Leaning {
  const strength = STRENGTHS.find(([from]) => Math.abs(logOdds) >= from)
  if (strength === undefined) return { side: 'neither', words: 'Says little either way.' }
  const side = logOdds > 0 ? 'for' : 'against'
  return { side, words: `Speaks ${strength[1]} ${side} the address.` }
}
