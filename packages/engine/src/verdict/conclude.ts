import { confidenceIn } from '@probity/contract/status'
import type { Trait } from '@probity/contract/traits'
import { looksMachineGenerated, type Plausibility, plausibilityOf } from '../address/plausibility.ts'
import { shapeOf } from '../address/shape.ts'
import type { DomainClass } from '../domain/lists.ts'
import { type Decision, decide, type Findings } from './decide.ts'
import { type History, NO_HISTORY } from './history.ts'
import type { ValidationOptions } from './options.ts'
import { safeToSend } from './safe-to-send.ts'
import { type Weighing, weigh } from './weigh.ts'

/** What we say of an address: the decision, how sure we are of it, and whether to send. */
export type Verdict = Decision & {
  confidence: number
  safeToSend: boolean
  isMachineGenerated: boolean
  /** What its text looks like; undefined where the model took no part. */
  plausibility: Plausibility | undefined
  weighing: Weighing
}

/** What is known of the address beside the findings. */
export type Beside = { provider: string; classes?: DomainClass; history?: History }

/** Decides, and says how surely: what a mail server said stands by itself, the rest is weighed. */
export function conclude(findings: Findings, beside: Beside, options: ValidationOptions): Verdict {
  const { provider, classes, history = NO_HISTORY } = beside
  const decision = decide(findings)
  const text = options.ai ? readText(findings) : undefined
  const weighing = weigh({ subStatus: decision.subStatus, provider, history, text })
  // Whoever hides a mailbox behind a relay is given an address that a machine made, by a service that lasts.
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
    confidence: confidenceIn(decision.status, weighing.p),
    safeToSend: safeToSend(decision, weighing, { traits, options }),
    isMachineGenerated,
    plausibility: text?.plausibility,
    weighing,
  }
}

function readText({ address }: Findings) {
  if (address.kind === 'malformed') return undefined
  return { plausibility: plausibilityOf(address.local), shape: shapeOf(address.local) }
}

/** Whether there is anything for reported outcomes to say: not where a mail server or DNS has said it. */
export function isOpenToHistory(findings: Findings): boolean {
  const { status } = decide(findings)
  return status === 'risky' || status === 'unknown'
}
