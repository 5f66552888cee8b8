import { verdictLook } from '../ui/verdict.tsx'
import type { AnyResult } from './any-result.ts'

/** What to do. The service's own advice goes before the verdict's: it may be stricter, and outcomes of mail may make it milder. */
export function adviceOn({ status, safe_to_send: safe }: AnyResult): string {
  if (safe) return verdictLook('valid').advice
  return verdictLook(status === 'valid' ? 'risky' : status).advice
}
