import { BASE_RATES, MODEL_PARAMETERS, PROVIDER_RATES } from '@probity/contract/constants/data/model-parameters'
import { SUB_STATUSES, type SubStatus } from '@probity/contract/constants/validations'
import type { Plausibility } from '../address/plausibility.ts'
import { SHAPES, type Shape } from '../address/shape.ts'
import { SHAPE_SHARES } from './data/shape-shares.ts'

/** Reported outcomes: deliveries, and bounces of missing mailboxes. Old ones count less. */
type Tally = { delivered: number; bounced: number }

/** Reported outcomes of a domain and its provider. */
export type History = {
  /** Of the domain; `shapes` counts the shapes of delivered addresses, in the order of SHAPES. */
  domain: Tally & { shapes: readonly number[] }
  /** Of all addresses at the provider with the same sub_status; `machine` is the number of bounces that looked auto-generated. */
  classes: Readonly<Record<string, Tally & { machine: number }>>
  /** Whether earlier estimates were calibrated. If not, only base rates are used. */
  isTrusted: boolean
}

/** Looks up reported outcomes. */
export type HistoryLookup = { find(domain: string, provider: string): Promise<History> }

export const NO_HISTORY: History = {
  domain: { delivered: 0, bounced: 0, shapes: [] },
  classes: {},
  isTrusted: true,
}

/** Result of the checks, reported outcomes of the domain, and the text of the address. */
export type DeliverabilityInput = {
  subStatus: SubStatus
  provider: string
  history: History
  /** Undefined if the model is disabled. */
  text: { plausibility: Plausibility; shape: Shape } | undefined
}

/** One part of the estimate and its effect in log-odds. The sum of all parts is the log-odds of `p`. */
export type Term = { kind: 'base' | 'history' | 'text' | 'pattern'; logOdds: number }

export type DeliverabilityEstimate = {
  /** Deliverability: probability that a message sent now is not hard-bounced. */
  p: number
  terms: Term[]
  /** Number of reported outcomes of the domain. */
  outcomes: number
  /** Whether the model changed it by at least `used_min`. */
  isModelUsed: boolean
  /** Whether the model was skipped because its calibration is off here. */
  isFallback: boolean
}

const {
  p_delivered: P_DELIVERED,
  domain_weight: DOMAIN_WEIGHT,
  swallow_weight: SWALLOW_WEIGHT,
  machine_share: MACHINE_SHARE,
  guess_share: GUESS_SHARE,
} = MODEL_PARAMETERS

/** Bounds for addresses that the server accepted or rejected, whatever outcomes were reported. */
const ACCEPTED_P_MIN = 0.9
const REJECTED_P_MAX = 0.1

/**
 * Estimates the deliverability. The parts are applied in a fixed order, and each counts as its change in log-odds, so that they always
 * sum up. If the mail server accepted or rejected the address, no other part is used.
 */
export function estimateDeliverability(input: DeliverabilityInput): DeliverabilityEstimate {
  const { subStatus, history } = input
  const { status } = SUB_STATUSES[subStatus]
  const base = baseRate(input)
  if (status === 'valid') return alone(Math.max(ACCEPTED_P_MIN, base))
  if (status === 'invalid') return alone(Math.min(REJECTED_P_MAX, base))
  if (!history.isTrusted) return { ...alone(base), isFallback: true }

  const { domain } = history
  const before = swallowing(base, BASE_RATES[subStatus].swallow, { delivered: 0, bounced: 0 })
  const after = swallowing(base, BASE_RATES[subStatus].swallow, domain)
  const { text, pattern } = leanings(input)
  const steps: [Term['kind'], number][] = [
    ['base', deliverabilityOf(before, 0)],
    ['history', deliverabilityOf(after, 0)],
    ['text', deliverabilityOf(after, text)],
    ['pattern', deliverabilityOf(after, pattern)],
  ]
  const { p, terms } = climb(steps)
  const byModel = terms.filter(({ kind }) => kind === 'text' || kind === 'pattern')
  const moved = byModel.reduce((sum, { logOdds }) => sum + logOdds, 0)
  const isModelUsed = Math.abs(moved) >= MODEL_PARAMETERS.used_min
  return { p, terms, outcomes: domain.delivered + domain.bounced, isModelUsed, isFallback: false }
}

function alone(base: number): DeliverabilityEstimate {
  return { ...climb([['base', base]]), outcomes: 0, isModelUsed: false, isFallback: false }
}

const NO_CLASS = { delivered: 0, bounced: 0, machine: 0 }

/** Prior of the class, updated with reported outcomes at this provider. */
function baseRate({ subStatus, provider, history }: DeliverabilityInput): number {
  const assumed = PROVIDER_RATES[subStatus]?.[provider] ?? BASE_RATES[subStatus].p
  const { delivered, bounced } = history.classes[subStatus] ?? NO_CLASS
  const weight = MODEL_PARAMETERS.base_weight
  return (assumed * weight + delivered) / (weight + delivered + bounced)
}

/** A domain either accepts every recipient (`swallows`: probability; `ifSwallowed`: deliverability then) or bounces unknown ones (`exists`). */
type Domain = { swallows: number; ifSwallowed: number; exists: number }

/**
 * Probes cannot distinguish domains that deliver every message from domains that accept first and bounce later. Outcomes can. The base
 * rate is a mixture of both, so its share is subtracted. A delivery is never more probable at the second kind, so that no delivery
 * lowers the estimate.
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

/** Deliverability at this domain for an address with these log-odds of its text. Never above that of an existing mailbox. */
function deliverabilityOf({ swallows, ifSwallowed, exists }: Domain, leaning: number): number {
  const leant = probability(logOdds(within(1e-6, 1 - 1e-6, exists)) + leaning)
  const there = Math.min(Math.max(ifSwallowed, exists), leant)
  return swallows * ifSwallowed + (1 - swallows) * there
}

/**
 * Log-odds of the text, first by itself and then with its shape. Bad addresses are a mixture: some are auto-generated, some guessed, most
 * look like any other. So a human-looking text is weak evidence, and only a text that people rarely write is strong evidence.
 */
function leanings({ subStatus, history, text }: DeliverabilityInput): { text: number; pattern: number } {
  if (text === undefined) return { text: 0, pattern: 0 }
  const byMachine = machineShare(history.classes[subStatus] ?? NO_CLASS)
  const byGuess = GUESS_SHARE * Math.min(1, (1 - byMachine) / (1 - MACHINE_SHARE))
  const machine = text.plausibility.kind === 'scored' ? Math.exp(-text.plausibility.logit) : 1
  const guess = guessRatio(history.domain.shapes, text.shape)
  const byText = -Math.log(1 - byMachine + byMachine * machine)
  const byBoth = -Math.log(1 - byMachine - byGuess + byMachine * machine + byGuess * guess)
  return { text: byText, pattern: byBoth }
}

/** Share of auto-generated addresses among bounces: the prior, updated with reported outcomes. */
function machineShare({ bounced, machine }: { bounced: number; machine: number }): number {
  const { base_weight, machine_share_max } = MODEL_PARAMETERS
  return Math.min(machine_share_max, (MACHINE_SHARE * base_weight + machine) / (base_weight + bounced))
}

/** Likelihood ratio of this shape for a guessed address against one of the domain. 1 if too few outcomes of the domain are known. */
function guessRatio(shapes: readonly number[], shape: Shape): number {
  const { pattern_min, pattern_weight, pattern_ratio_max } = MODEL_PARAMETERS
  const known = shapes.reduce((sum, count) => sum + count, 0)
  if (known < pattern_min) return 1
  const { usual, guessed } = SHAPE_SHARES[shape]
  const here = ((shapes[SHAPES.indexOf(shape)] ?? 0) + pattern_weight * usual) / (known + pattern_weight)
  return within(1 / pattern_ratio_max, pattern_ratio_max, guessed / here)
}

/** The log-odds of each step. Each is rounded as published, so that their sum is exactly the published value. */
function climb(steps: [Term['kind'], number][]): { p: number; terms: Term[] } {
  let [p, reached] = [0.5, 0]
  const terms = steps.map(([kind, estimate]): Term => {
    p = Math.round(within(MODEL_PARAMETERS.p_min, MODEL_PARAMETERS.p_max, estimate) * 1e6) / 1e6
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

function probability(odds: number): number {
  return 1 / (1 + Math.exp(-odds))
}

/** Above this Stirling's series is exact to more than ten digits; below it the argument is moved up first. */
const SERIES_FROM = 8

/** The logarithm of the gamma function, for arguments above zero. */
export function logGamma(x: number): number {
  let shift = 0
  let z = x
  for (; z < SERIES_FROM; z += 1) shift += Math.log(z)
  const inverse = 1 / (z * z)
  const series = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse / 1680))) / z
  return (z - 0.5) * Math.log(z) - z + 0.5 * Math.log(2 * Math.PI) + series - shift
}

/** The logarithm of the beta function. */
export function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b)
}
