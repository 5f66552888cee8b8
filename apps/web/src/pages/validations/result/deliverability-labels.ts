import { outcomeWords } from '../../../labels/checks.ts'
import { formatNumber, formatShare } from '../../../ui/format.ts'
import type { AnyResult } from './result.ts'

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
export function signalLabel(logOdds: number): Leaning {
  const strength = STRENGTHS.find(([from]) => Math.abs(logOdds) >= from)
  if (strength === undefined) return { side: 'neither', words: 'Neutral.' }
  return logOdds > 0
    ? { side: 'for', words: `${strength[1]} positive signal.` }
    : { side: 'against', words: `${strength[1]} negative signal.` }
}

/**
 * The effect of a finding on the deliverability. The first one is the base rate: if the finding is a risk or inconclusive, such as a
 * catch-all domain, it is neither for nor against the address.
 */
export function partLabel({ check, outcome, logOdds, chance }: ScorePart, isFirst: boolean): Leaning {
  if (!isFirst) return signalLabel(logOdds)
  const isConclusive = ['good', 'bad'].includes(outcomeWords(check, outcome).kind)
  if (isConclusive) return { ...signalLabel(logOdds), words: `${signalLabel(logOdds).words} ${BASE_RATE}.` }
  const isCatchAll = check === 'catch_all' && outcome === 'detected'
  return { side: 'neither', words: `${isCatchAll ? CATCH_ALL_RATE : BASE_RATE}: ${formatShare(chance)}.` }
}

const BASE_RATE = 'Base rate for this kind of result'
const CATCH_ALL_RATE = 'Base rate for catch-all domains'

/** The effect of the model on a result: used, no effect, not used, or disabled for the provider. */
export function modelSentence(result: AnyResult): string {
  const { status, ai_enhancement: model, evidence = [] } = result
  const outcomeOf = (wanted: string) => evidence.find(({ check }) => check === wanted)?.outcome
  const text = outcomeOf('address_text')
  if (outcomeOf('model') === 'fallback') {
    return 'Model disabled for this provider: its predictions diverged from reported outcomes. The base rate is used instead.'
  }
  if (model?.used)
    return `Deliverability adjusted by the model ${model.method}. ${text === 'abstained' ? SILENT : READ}`
  if (status === 'valid' || status === 'invalid') return 'Model not used: the checks are conclusive.'
  if (text === undefined) return 'Model not used.'
  return text === 'abstained' ? `Model not used. ${SILENT}` : 'Model used, no significant effect.'
}

const READ = 'It evaluates only the text of the address.'
const SILENT = 'The text of this local part was not scored.'

/** A finding with log-odds, and the deliverability after it. */
export type ScorePart = { check: string; outcome: string; logOdds: number; chance: number }

/** Deliverability has six digits. */
const TOLERANCE = 1e-6

/**
 * The findings with log-odds, in evidence order. Empty if they do not add up to the deliverability: test mode has no log-odds, and
 * neither have results stored before deliverability existed.
 */
export function scoreBreakdown({ deliverability, evidence = [] }: AnyResult): ScorePart[] {
  let sum = 0
  const parts = evidence.flatMap(({ check, outcome, log_odds: logOdds }) => {
    if (logOdds === undefined) return []
    sum += logOdds
    return [{ check, outcome, logOdds, chance: chanceAt(sum) }]
  })
  const last = parts.at(-1)
  return last !== undefined && Math.abs(last.chance - deliverability) < TOLERANCE ? parts : []
}

function chanceAt(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds))
}
