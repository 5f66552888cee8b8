import { VALID_EXAMPLE } from '@probity/contract/constants/data/examples'
import type { ValidationResult } from '@probity/sdk'

/** For tests: a finding, optionally with log-odds. */
type Found = [check: string, outcome: string, logOdds?: number]

/** For tests: a valid result with changes. */
export function testResult(changes: Partial<ValidationResult>, found: Found[] = []): ValidationResult {
  const evidence = found.map(([check, outcome, logOdds]) => ({
    check,
    outcome,
    detail: '',
    source: 'live' as const,
    checked_at: '1970-01-01T00:00:01.000Z',
    duration_ms: 1,
    ...(logOdds !== undefined && { log_odds: logOdds }),
  }))
  return { ...(VALID_EXAMPLE as ValidationResult), evidence, ...changes }
}

export const CATCH_ALL = { status: 'risky', sub_status: 'catch_all', is_valid: false, safe_to_send: false } as const
