/** Conditions that need attention. */
export const ALERT_KINDS = {
  webhook_failing: 'deliveries to a webhook fail; `id` is the webhook.',
  webhook_disabled: 'a webhook was disabled because its deliveries failed; `id` is the webhook.',
  key_unused: 'an active API key was not used for 30 days; `id` is the key.',
  results_expiring: 'the results of a job expire within two days; `id` is the job.',
  credits_low: 'the available credits are at or below the threshold of the account.',
} as const satisfies Record<string, string>

export type AlertKind = keyof typeof ALERT_KINDS

/** Source of a request. */
export const REQUEST_SOURCES = {
  api: 'a program, with a secret key.',
  page: 'a web page, with a publishable key.',
  mcp: 'an AI agent, through an MCP tool.',
} as const satisfies Record<string, string>

export type RequestSource = keyof typeof REQUEST_SOURCES

/** Classes of HTTP statuses, as used in filters. */
export const REQUEST_CLASSES = ['success', 'client_error', 'server_error'] as const
export type RequestClass = (typeof REQUEST_CLASSES)[number]
