import type { SubStatus } from '../validations.ts'

/** A preset keeps the results that match one of its rules. Rows without an address are never kept. */
export type PresetRule = {
  status: 'valid' | 'risky' | 'unknown'
  /** Only this reason of the status. */
  reason?: SubStatus
  /** Only results that are safe to send. */
  safeToSend?: true
  because: string
}

/** From the strictest to the most lenient: each keeps everything that the one before it keeps. */
export const PRESETS = {
  safest: [
    {
      status: 'valid',
      safeToSend: true,
      because: 'the mail server accepts mail for this mailbox, and it is not a role address',
    },
  ],
  balanced: [
    { status: 'valid', because: 'the mail server accepts mail for this mailbox' },
    {
      status: 'risky',
      reason: 'catch_all',
      because: 'catch-all domains mostly belong to companies with real recipients',
    },
    {
      status: 'unknown',
      reason: 'provider_unverifiable',
      because: 'this provider does not reveal whether a mailbox exists; removing it would remove all its users',
    },
  ],
  all_but_bounces: [
    { status: 'valid', because: 'the mail server accepts mail for this mailbox' },
    { status: 'risky', because: 'mail is likely to be delivered' },
    { status: 'unknown', because: 'an unknown result is not evidence against the address' },
  ],
} as const satisfies Record<string, readonly PresetRule[]>

export type BounceRange = { low: number; high: number }

/**
 * Expected bounce rate by reason. Provisional: set by hand around the confidence of each reason, with wide ranges where data is scarce,
 * until a model that is calibrated on real bounces replaces them.
 */
export const BOUNCE_RANGES: Record<SubStatus, BounceRange> = {
  '': { low: 0.005, high: 0.05 },

  syntax_error: { low: 0.99, high: 1 },
  domain_not_found: { low: 0.97, high: 1 },
  no_mail_server: { low: 0.95, high: 1 },
  null_mx: { low: 0.99, high: 1 },
  domain_not_hosted: { low: 0.9, high: 1 },
  mailbox_not_found: { low: 0.9, high: 1 },
  mailbox_disabled: { low: 0.85, high: 1 },
  mailbox_moved: { low: 0.8, high: 1 },

  catch_all: { low: 0.05, high: 0.4 },
  catch_all_untested: { low: 0.01, high: 0.3 },
  mailbox_full: { low: 0.3, high: 0.9 },
  disposable: { low: 0.05, high: 0.5 },

  not_probed: { low: 0.02, high: 0.5 },
  not_started: { low: 0, high: 1 },
  dns_failed: { low: 0.1, high: 0.8 },
  not_routable: { low: 0.5, high: 1 },
  connection_failed: { low: 0.2, high: 0.9 },
  timeout: { low: 0.02, high: 0.5 },
  greylisted: { low: 0.02, high: 0.3 },
  rate_limited: { low: 0.02, high: 0.5 },
  blocked: { low: 0.02, high: 0.5 },
  policy_rejected: { low: 0.02, high: 0.5 },
  provider_unverifiable: { low: 0.02, high: 0.5 },
  smtputf8_unsupported: { low: 0.3, high: 1 },
  address_literal: { low: 0.3, high: 1 },
  server_error: { low: 0.05, high: 0.6 },
  internal_error: { low: 0.02, high: 0.5 },
  sandbox_unmapped: { low: 0, high: 1 },
}
