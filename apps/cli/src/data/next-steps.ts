import type { ProblemCode } from '@probity/contract/constants/problems'

/** The command to type after a problem of the service, where there is one. */
export const NEXT_STEPS: Partial<Record<ProblemCode, string>> = {
  missing_api_key: 'probity login',
  invalid_api_key: 'probity login',
  revoked_api_key: 'probity login',
  expired_api_key: 'probity login',
  paused_api_key: 'probity keys list',
  missing_scope: 'probity whoami',
  key_type_not_allowed: 'probity login',
  live_key_required: 'probity config list',
  ip_not_allowed: 'probity keys list',
  insufficient_credits: 'probity usage',
  api_key_cap_reached: 'probity keys list',
  job_finished: 'probity jobs list',
  file_removed: 'probity jobs results ID --format jsonl',
  unknown_column: 'probity jobs estimate FILE',
  no_email_column: 'probity jobs estimate FILE',
  column_without_emails: 'probity jobs estimate FILE',
  service_unavailable: 'probity doctor',
  internal_error: 'probity doctor',
}
