import type { ProblemCode } from '@probity/contract/problem'

/** What to type next after a refusal of the service, where there is one thing to type. */
export const NEXT_STEPS: Partial<Record<ProblemCode, string>> = {
  missing_api_key: 'probity login',
  invalid_api_key: 'probity login',
  revoked_api_key: 'probity login',
  expired_api_key: 'probity login',
  paused_api_key: 'probity keys ls',
  missing_scope: 'probity doctor',
  key_type_not_allowed: 'probity login',
  live_key_required: 'probity login',
  ip_not_allowed: 'probity keys ls',
  insufficient_credits: 'probity credits',
  api_key_cap_reached: 'probity keys ls',
  not_found: 'probity list ls',
  job_finished: 'probity list ls',
  file_removed: 'probity list results ID -o jsonl',
  unknown_column: 'probity list estimate FILE',
  no_email_column: 'probity list estimate FILE',
  column_without_emails: 'probity list estimate FILE',
  service_unavailable: 'probity doctor',
  internal_error: 'probity doctor',
}
