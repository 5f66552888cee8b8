import type { Result } from '@probity/contract/results'
import { confidenceIn, type Status } from '@probity/contract/status'
import type { KeptResult } from '@probity/database/results'

/**
 * A result as it is handed out, in an order of fields that never changes. Without the evidence it holds only what two runs over the
 * same world give alike, so that two exports can be compared byte for byte.
 */
export function presentResult(kept: KeptResult, withEvidence: boolean): Result {
  const { rowNo, email, status, subStatus, answer } = kept
  const { details, flags, catchall, ai_enhancement, evidence } = answer
  return {
    email,
    row: rowNo,
    status,
    sub_status: subStatus,
    confidence: answer.confidence,
    deliverability: answer.deliverability ?? chanceIn(answer),
    safe_to_send: answer.safe_to_send,
    is_valid: answer.is_valid,
    did_you_mean: answer.did_you_mean,
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
    listed: answer.listed ?? null,
    ...(withEvidence && { details, catchall, ai_enhancement, evidence }),
  }
}

/** Results that were kept before there were chances have their confidence, from which theirs follows. */
function chanceIn({ status, confidence }: KeptResult['answer']): number {
  return confidenceIn(status as Status, confidence) // the way back is the same as the way there
}
