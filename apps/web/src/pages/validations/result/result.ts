import type { JobResult, ValidationResult } from '@probity/sdk'
import { verdictLook } from '../../../labels/verdict.tsx'

/** A result of a single validation, or of a list, which has fewer fields. */
export type AnyResult = ValidationResult | JobResult

/** The domain as the address spells it, because users do not recognize its A-labels. */
export function domainOf({ email }: AnyResult): string {
  return email.slice(email.lastIndexOf('@') + 1).trim()
}

/** No check ran, so the result has no confidence and no depth. */
export const NOT_STARTED = 'not_started'

/** The recommendation. `safe_to_send` takes precedence over the verdict: it reflects account settings and reported outcomes. */
export function adviceOn({ status, sub_status: subStatus, safe_to_send: safe }: AnyResult): string {
  if (subStatus === NOT_STARTED) return 'Validate again'
  if (safe) return verdictLook('valid').advice
  return verdictLook(status === 'valid' ? 'risky' : status).advice
}
