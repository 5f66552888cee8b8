import { verdictLook } from '../../../labels/verdict.tsx'
import type { AnyResult } from './any-result.ts'

/** No check ran, so the result has no confidence and no depth. */
export const NOT_STARTED = 'not_started'

/** The recommendation. `safe_to_send` takes precedence over the verdict: it reflects account settings and reported outcomes. */
export function adviceOn({ status, sub_status: subStatus, safe_to_send: safe }: AnyResult): string {
  if (subStatus === NOT_STARTED) return 'Validate again'
  if (safe) return verdictLook('valid').advice
  return verdictLook(status === 'valid' ? 'risky' : status).advice
}
