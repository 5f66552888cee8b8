import { MODEL_PARAMETERS, SEND_THRESHOLD_DEFAULT } from '@probity/contract/constants/data/model-parameters'
import { confidenceIn, EXCLUDED_TRAITS_DEFAULT, type Trait } from '@probity/contract/constants/validations'
import { looksMachineGenerated, type Plausibility, plausibilityOf } from '../address/plausibility.ts'
import { shapeOf } from '../address/shape.ts'
import type { DomainClass } from '../domain/domain-lists.ts'
import { type Decision, decide, type Findings } from './decide.ts'
import { type DeliverabilityEstimate, estimateDeliverability, type History, NO_HISTORY } from './deliverability.ts'

/** Options of a validation: features of the plan and the request, and sending settings. */
export type ValidationOptions = {
  /** Whether the model is used. */
  ai: boolean
  /** Whether control recipients are probed. */
  catchall: boolean
  /** Lowest deliverability that is safe to send to. */
  threshold: number
  /** Traits that are never safe to send to. */
  excludedTraits: readonly Trait[]
}

export const DEFAULT_OPTIONS: ValidationOptions = {
  ai: true,
  catchall: true,
  threshold: SEND_THRESHOLD_DEFAULT,
  excludedTraits: EXCLUDED_TRAITS_DEFAULT,
}

/** The verdict on an address: decision, confidence, and whether it is safe to send. */
export type Verdict = Decision & {
  confidence: number
  safeToSend: boolean
  isMachineGenerated: boolean
  /** Plausibility of its text; undefined if the model is disabled. */
  plausibility: Plausibility | undefined
  estimate: DeliverabilityEstimate
}

/** Data about the address beside the findings. */
type VerdictContext = { provider: string; classes?: DomainClass; history?: History }

/** Decides, and estimates the deliverability. */
export function conclude(findings: Findings, context: VerdictContext, options: ValidationOptions): Verdict {
  const { provider, classes, history = NO_HISTORY } = context
  const decision = decide(findings)
  const text = options.ai ? readText(findings) : undefined
  const estimate = estimateDeliverability({ subStatus: decision.subStatus, provider, history, text })
  // Privacy relays assign auto-generated addresses that last.
  const isMachineGenerated = text !== undefined && looksMachineGenerated(text.plausibility) && !classes?.isPrivacyRelay
  const traits: Record<Trait, boolean> = {
    disposable: classes?.isDisposable ?? false,
    role_based: findings.isRole,
    machine_generated: isMachineGenerated,
    free: classes?.isFree ?? false,
    privacy_relay: classes?.isPrivacyRelay ?? false,
    tagged: findings.address.kind === 'address' && findings.address.tag !== null,
  }
  return {
    ...decision,
    confidence: confidenceIn(decision.status, estimate.p),
    safeToSend: safeToSend(decision, estimate, { traits, options }),
    isMachineGenerated,
    plausibility: text?.plausibility,
    estimate,
  }
}

function readText({ address }: Findings) {
  if (address.kind === 'malformed') return undefined
  return { plausibility: plausibilityOf(address.local), shape: shapeOf(address.local) }
}

/** Whether reported outcomes are used: not if a mail server or DNS has decided. */
export function isOpenToHistory(findings: Findings): boolean {
  const { status } = decide(findings)
  return status === 'risky' || status === 'unknown'
}

type SendContext = { traits: Record<Trait, boolean>; options: ValidationOptions }

/**
 * Whether a message would stay within the bounce tolerance. If no mail server accepted the recipient, reported outcomes of the same
 * domain must confirm it: a plausible text alone makes no address safe to send to.
 */
function safeToSend(
  { status }: Decision,
  { p, outcomes }: DeliverabilityEstimate,
  { traits, options }: SendContext,
): boolean {
  if (status === 'invalid' || p < options.threshold) return false
  if (options.excludedTraits.some((trait) => traits[trait])) return false
  return status === 'valid' || outcomes >= MODEL_PARAMETERS.safe_outcomes_min
}
