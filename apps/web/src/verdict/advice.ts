import { verdictLook } from '../ui/verdict.tsx'
import type { AnyResult } from './any-result.ts'

/** Nothing was checked: such a result has no confidence and no depth to show. */
export const NOT_STARTED = 'not_started'

/** What to do. The service's own advice goes before the verdict's: it may be stricter, and outcomes of mail may make it milder. */
export function adviceOn({ status, sub_status: subStatus, safe_to_send: safe }: AnyResult): string {
  if (subStatus === NOT_STARTED) return 'Validate again'
  if (safe) return verdictLook('valid').advice
  return verdictLook(status === 'valid' ? 'risky' : status).advice
}
