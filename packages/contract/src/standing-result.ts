import { BASE_RATES } from './data/model-parameters.ts'
import { evidenceItem } from './evidence.ts'
import type { OverrideAction } from './override.ts'
import type { SubStatusesOf } from './status.ts'
import type { ValidationResult } from './validation.ts'

/**
 * A result without what belongs to one answer alone: its time, its caller's plan and policy, and whether work on it still goes on. What
 * the account's overrides say is kept with the results of a list, and looked up for every other answer.
 */
export type StoredResult = Omit<
  ValidationResult,
  'performance' | 'metadata' | 'id' | 'livemode' | 'retry_at' | 'policy' | 'override' | 'reference'
> & { override?: OverrideAction }

/** The result of a validation that no worker had claimed when its request timed out: nothing was checked. */
export function notStartedResult(email: string): StoredResult {
  return { ...pendingResult(email, 'not_started'), evidence: [evidenceItem('worker', 'not_claimed', NOT_STARTED)] }
}

const NOT_STARTED =
  'No worker claimed the address before the timeout. Validation did not start, and no mail server was contacted.'

/** The result of a validation that found nothing out: not yet, not for lack of trying, or not in the sandbox. */
export function pendingResult(email: string, subStatus: SubStatusesOf<'unknown'>): StoredResult {
  const { p } = BASE_RATES[subStatus]
  return {
    email,
    status: 'unknown',
    sub_status: subStatus,
    confidence: p,
    deliverability: p,
    depth: 'dns',
    safe_to_send: false,
    is_valid: false,
    details: {
      syntax_valid: false,
      dns_valid: false,
      smtp_valid: false,
      smtp_code: 0,
      domain: '',
      provider: '',
      is_disposable: false,
      is_role_based: false,
      has_spf: false,
      has_dmarc: false,
      mx: [],
      canonical_email: null,
      local_part: null,
      tag: null,
      domain_unicode: null,
    },
    catchall: { is_catchall: false, confidence: null },
    ai_enhancement: { used: false, method: null },
    did_you_mean: null,
    flags: { is_free: false, is_privacy_relay: false, is_tagged: false, is_machine_generated: false },
    evidence: [],
  }
}
