import type { SubStatusesOf } from '../validations.ts'

/**
 * The reasons of `unknown` that another validation of the same address cannot change, as the end of "120 addresses are …". Null: it can,
 * because the reason is in the network, the load or the installation of that moment. A new reason does not compile until it has a row here.
 */
export const LASTING_REASONS = {
  not_probed: null,
  not_started: null,
  dns_failed: null,
  // The domain owner or the operator of the resolver can correct the records.
  not_routable: null,
  connection_failed: null,
  timeout: null,
  greylisted: null,
  rate_limited: null,
  // Depends on the reputation of the egress, which changes.
  blocked: null,
  policy_rejected: null,
  provider_unverifiable: 'at providers that do not reveal mailboxes',
  smtputf8_unsupported: 'at mail servers that do not support SMTPUTF8',
  address_literal: 'at an IP address instead of a domain, which is not probed',
  server_error: null,
  internal_error: null,
  sandbox_unmapped: 'without a result in test mode',
} as const satisfies Record<SubStatusesOf<'unknown'>, string | null>
