import { BASE_RATES, MODEL_PARAMETERS, PROVIDER_RATES } from '@probity/contract/data/model-parameters'
import { SUB_STATUSES, type SubStatus } from '@probity/contract/status'
import type { Plausibility } from '../address/plausibility.ts'
import { SHAPES, type Shape } from '../address/shape.ts'
import { SHAPE_SHARES } from './data/shape-shares.ts'
import type { History, Tally } from './history.ts'
import { logBeta } from './log-gamma.ts'

/** What is weighed: what the checks came to, what became of mail to others there, and what the text looks like. */
export type Weighable = {
  subStatus: SubStatus
  provider: string
  history: History
  /** Undefined where the model is not to take part. */
  text: { plausibility: Plausibility; shape: Shape } | undefined
}

/** One part of the chance and how far it moved it, in log-odds. Together they make the log-odds of the chance. */
export type Term = { kind: 'base' | 'history' | 'text' | 'pattern'; logOdds: number }

export type Weighing = {
  /** The chance that a message sent now draws no hard bounce. */
  p: number
  terms: Term[]
  /** Outcomes of the domain that it rests on. */
  outcomes: number
  /** Whether the model moved it by more than a trifle. */
  isModelUsed: boolean
  /** Whether the model was left out because it had been wrong here too often. */
  isFallback: boolean
}

const {
  p_delivered: P_DELIVERED,
  domain_weight: DOMAIN_WEIGHT,
  swallow_weight: SWALLOW_WEIGHT,
  machine_share: MACHINE_SHARE,
  guess_share: GUESS_SHARE,
} = MODEL_PARAMETERS

/** However many outcomes say otherwise, a server's own yes or no stays on its side of the scale. */
const ACCEPTED_P_MIN = 0.9
const REFUSED_P_MAX = 0.1

/**
 * Weighs all that is known into one chance. The parts are taken in a fixed order, and each is worth the step that it makes on the
 * scale of log-odds: so they add up, whatever they are. Where the mail server decided, nothing else is asked.
 */
export function weigh(weighable: Weighable): Weighing {
  const { subStatus, history } = weighable
  const { status } = SUB_STATUSES[subStatus]
  const base = baseRate(weighable)
  if (status === 'valid') return alone(Math.max(ACCEPTED_P_MIN, base))
  if (status === 'invalid') return alone(Math.min(REFUSED_P_MAX, base))
  if (!history.isTrusted) return { ...alone(base), isFallback: true }

  const { domain } = history
  const before = swallowing(base, BASE_RATES[subStatus].swallow, { delivered: 0, bounced: 0 })
  const after = swallowing(base, BASE_RATES[subStatus].swallow, domain)
  const { text, pattern } = leanings(weighable)
  const steps: [Term['kind'], number][] = [
    ['base', chanceOf(before, 0)],
    ['history', chanceOf(after, 0)],
    ['text', chanceOf(after, text)],
    ['pattern', chanceOf(after, pattern)],
  ]
  const { p, terms } = climb(steps)
  const byModel = terms.filter(({ kind }) => kind === 'text' || kind === 'pattern')
  const moved = byModel.reduce((sum, { logOdds }) => sum + logOdds, 0)
  const isModelUsed = Math.abs(moved) >= MODEL_PARAMETERS.used_min
  return { p, terms, outcomes: domain.delivered + domain.bounced, isModelUsed, isFallback: false }
}

function alone(base: number): Weighing {
  return { ...climb([['base', base]]), outcomes: 0, isModelUsed: false, isFallback: false }
}

const NO_CLASS = { delivered: 0, bounced: 0, machine: 0 }

/** What is assumed of the class, and what was reported of it at this provider. */
function baseRate({ subStatus, provider, history }: Weighable): number {
  const assumed = PROVIDER_RATES[subStatus]?.[provider] ?? BASE_RATES[subStatus].p
  const { delivered, bounced } = history.classes[subStatus] ?? NO_CLASS
  const weight = MODEL_PARAMETERS.base_weight
  return (assumed * weight + delivered) / (weight + delivered + bounced)
}

/** A domain either swallows everything, with this weight and this chance, or bounces what is not there, and then so many are. */
type Domain = { swallows: number; ifSwallowed: number; exists: number }

/**
 * Two kinds of domain look alike from outside: one that delivers whatever it is sent to somebody, and one that accepts first and
 * bounces later. Outcomes tell them apart; the base rate is a mixture of both, so what it already holds is taken out again. A
 * delivery is never likelier at the second kind than at the first, so that no delivery can speak against an address.
 */
function swallowing(base: number, share: number, { delivered, bounced }: Tally): Domain {
  const mean = within(0.02, 0.98, (base - share * P_DELIVERED) / (1 - share))
  const [a, b] = [DOMAIN_WEIGHT * mean, DOMAIN_WEIGHT * (1 - mean)]
  const exists = (a + delivered) / (a + b + delivered + bounced)
  if (share === 0) return { swallows: 0, ifSwallowed: P_DELIVERED, exists }
  const [c, d] = [SWALLOW_WEIGHT * P_DELIVERED, Math.min(b, SWALLOW_WEIGHT * (1 - P_DELIVERED))]
  const asOne = Math.log(share) + logBeta(c + delivered, d + bounced) - logBeta(c, d)
  const asOther = Math.log(1 - share) + logBeta(a + delivered, b + bounced) - logBeta(a, b)
  const ifSwallowed = (c + delivered) / (c + d + delivered + bounced)
  return { swallows: 1 / (1 + Math.exp(asOther - asOne)), ifSwallowed, exists }
}

/** The chance at such a domain for an address that leans so far towards being there. No mailbox is surer than one that is there. */
function chanceOf({ swallows, ifSwallowed, exists }: Domain, leaning: number): number {
  const leant = chance(logOdds(within(1e-6, 1 - 1e-6, exists)) + leaning)
  const there = Math.min(Math.max(ifSwallowed, exists), leant)
  return swallows * ifSwallowed + (1 - swallows) * there
}

/**
 * How far the text speaks for a mailbox, first by itself and then with its shape. Addresses that are bad are a mixture: some a
 * machine made, some somebody guessed, most look like any other. So the most human text proves little, and only a text that hardly
 * any human writes counts for much.
 */
function leanings({ subStatus, history, text }: Weighable): { text: number; pattern: number } {
  if (text === undefined) return { text: 0, pattern: 0 }
  const byMachine = machineShare(history.classes[subStatus] ?? NO_CLASS)
  const byGuess = GUESS_SHARE * Math.min(1, (1 - byMachine) / (1 - MACHINE_SHARE))
  const machine = text.plausibility.kind === 'scored' ? Math.exp(-text.plausibility.logit) : 1
  const guess = guessRatio(history.domain.shapes, text.shape)
  const byText = -Math.log(1 - byMachine + byMachine * machine)
  const byBoth = -Math.log(1 - byMachine - byGuess + byMachine * machine + byGuess * guess)
  return { text: byText, pattern: byBoth }
}

/** Of what bounced, the share that a machine made: what is assumed, and what was seen once there is something to see. */
function machineShare({ bounced, machine }: { bounced: number; machine: number }): number {
  const { base_weight, machine_share_max } = MODEL_PARAMETERS
  return Math.min(machine_share_max, (MACHINE_SHARE * base_weight + machine) / (base_weight + bounced))
}

/** How much likelier a guesser builds an address so than this domain does. One where too little is known of the domain. */
function guessRatio(shapes: readonly number[], shape: Shape): number {
  const { pattern_min, pattern_weight, pattern_ratio_max } = MODEL_PARAMETERS
  const known = shapes.reduce((sum, count) => sum + count, 0)
  if (known < pattern_min) return 1
  const { usual, guessed } = SHAPE_SHARES[shape]
  const here = ((shapes[SHAPES.indexOf(shape)] ?? 0) + pattern_weight * usual) / (known + pattern_weight)
  return within(1 / pattern_ratio_max, pattern_ratio_max, guessed / here)
}

/** Each step is worth what it moves. All are rounded to what is published, and so their sum is exactly what is published. */
function climb(steps: [Term['kind'], number][]): { p: number; terms: Term[] } {
  let [p, reached] = [0.5, 0]
  const terms = steps.map(([kind, chanceThen]): Term => {
    p = Math.round(within(MODEL_PARAMETERS.p_min, MODEL_PARAMETERS.p_max, chanceThen) * 1e6) / 1e6
    const from = reached
    reached = logOdds(p)
    return { kind, logOdds: reached - from }
  })
  return { p, terms }
}

function within(min: number, max: number, value: number): number {
  return Math.min(max, Math.max(min, value))
}

function logOdds(p: number): number {
  return Math.log(p / (1 - p))
}

function chance(odds: number): number {
  return 1 / (1 + Math.exp(-odds))
}
