import { positionOf, rowOf } from '@probity/contract/constants/jobs'
import { decideByPolicy, type NamedPolicy } from '@probity/contract/constants/policies'
import { confidenceIn, type Status } from '@probity/contract/constants/validations'
import type { Result } from '@probity/contract/schemas/jobs/results'
import type { KeptResult } from '@probity/database/jobs/results/results'

/** Level of detail of a result, and the policy that decides on it. */
export type Shown = { evidence: boolean; policy?: NamedPolicy | undefined }

/**
 * A result of a job in the response, with a fixed order of fields. Without evidence it contains only what two runs on the same
 * simulation have in common, so that two exports can be compared byte for byte.
 */
export function presentResult(kept: KeptResult, { evidence: withEvidence, policy }: Shown): Result {
  const { rowNo, email, status, subStatus, result: stored } = kept
  const { details, flags, catchall, ai_enhancement, evidence } = stored
  const result: Result = {
    email,
    row: rowOf(rowNo),
    position: positionOf(rowNo) + 1,
    status,
    sub_status: subStatus,
    confidence: stored.confidence,
    deliverability: stored.deliverability ?? chanceIn(stored),
    depth: stored.depth ?? depthIn(stored),
    safe_to_send: stored.safe_to_send,
    is_valid: stored.is_valid,
    did_you_mean: stored.did_you_mean,
    domain: details.domain,
    provider: details.provider,
    is_disposable: details.is_disposable,
    is_role_based: details.is_role_based,
    has_spf: details.has_spf,
    has_dmarc: details.has_dmarc,
    flags: {
      is_free: flags.is_free,
      is_privacy_relay: flags.is_privacy_relay,
      is_tagged: flags.is_tagged,
      is_machine_generated: flags.is_machine_generated ?? false,
    },
    override: stored.override ?? null,
    ...(withEvidence && { details, catchall, ai_enhancement, evidence }),
  }
  return policy ? { ...result, policy: decide(policy, result, stored.override) } : result
}

function decide(policy: NamedPolicy, result: Result, override: KeptResult['result']['override']) {
  const { is_disposable, is_role_based } = result
  return decideByPolicy(policy, { ...result, details: { is_disposable, is_role_based }, override: override ?? null })
}

/** Results stored before `depth` was introduced derive it from their evidence. */
function depthIn({ evidence }: KeptResult['result']): Result['depth'] {
  return evidence.some(({ check }) => check === 'recipient') ? 'smtp' : 'dns'
}

/** Results stored before `deliverability` was introduced derive it from their confidence. */
function chanceIn({ status, confidence }: KeptResult['result']): number {
  return confidenceIn(status as Status, confidence) // the conversion is its own inverse
}
