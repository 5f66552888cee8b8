import type { EVIDENCE_CHECKS } from './data/evidence-checks.ts'

/** The four statuses and their meaning for clients. */
export const STATUSES = {
  valid: 'the mail server accepts mail for this mailbox.',
  invalid: 'mail to this address cannot be delivered, according to the mail server, DNS or the syntax of the address.',
  risky: 'mail may be accepted, but there is a known risk.',
  unknown: 'the verdict could not be determined. This is not evidence against the address.',
} as const satisfies Record<string, string>

export type Status = keyof typeof STATUSES

/** Reasons for a status. Every reason belongs to exactly one status; valid addresses have none. */
export const SUB_STATUSES = {
  '': { status: 'valid', meaning: 'no further reason: the address is valid.' },

  syntax_error: { status: 'invalid', meaning: 'the text is not an email address.' },
  domain_not_found: { status: 'invalid', meaning: 'the domain does not exist (NXDOMAIN).' },
  no_mail_server: { status: 'invalid', meaning: 'the domain exists but has no mail server.' },
  null_mx: { status: 'invalid', meaning: 'the domain declares that it does not accept mail (null MX, RFC 7505).' },
  domain_not_hosted: { status: 'invalid', meaning: 'the mail server does not host this domain.' },
  mailbox_not_found: { status: 'invalid', meaning: 'the mail server reported that the mailbox does not exist.' },
  mailbox_disabled: { status: 'invalid', meaning: 'the mailbox exists but is disabled.' },
  mailbox_moved: { status: 'invalid', meaning: 'the mailbox has moved to another address.' },

  catch_all: {
    status: 'risky',
    meaning: 'the domain accepts mail for every address (catch-all), so the mailbox cannot be confirmed.',
  },
  catch_all_untested: {
    status: 'risky',
    meaning: 'the mail server accepted the address; the catch-all test was disabled in the request.',
  },
  mailbox_full: { status: 'risky', meaning: 'the mailbox exists but is full.' },
  disposable: { status: 'risky', meaning: 'the domain provides disposable addresses.' },

  not_probed: { status: 'unknown', meaning: 'no SMTP probe was made.' },
  not_started: {
    status: 'unknown',
    meaning: 'no worker claimed the address before the timeout, so validation did not start. The credit is refunded.',
  },
  dns_failed: {
    status: 'unknown',
    meaning: 'the DNS lookup of the domain failed. The credit is refunded.',
  },
  not_routable: {
    status: 'unknown',
    meaning: 'the mail servers are not on the public internet.',
  },
  connection_failed: {
    status: 'unknown',
    meaning: 'no connection to a mail server of the domain could be established, or to a backup only.',
  },
  timeout: { status: 'unknown', meaning: 'the mail server did not respond within the timeout.' },
  greylisted: {
    status: 'unknown',
    meaning: 'the mail server temporarily rejected the probe (greylisting).',
  },
  rate_limited: { status: 'unknown', meaning: 'the mail server limits the rate of our probes.' },
  blocked: {
    status: 'unknown',
    meaning: 'the mail server rejected our IP address, HELO name or sender; nothing is known about the mailbox.',
  },
  policy_rejected: {
    status: 'unknown',
    meaning: 'the mail server rejected the probe for policy reasons unrelated to the mailbox.',
  },
  provider_unverifiable: {
    status: 'unknown',
    meaning: 'this provider sends the same reply whether or not the mailbox exists.',
  },
  smtputf8_unsupported: {
    status: 'unknown',
    meaning: 'the address requires SMTPUTF8, which the mail server does not support.',
  },
  address_literal: { status: 'unknown', meaning: 'the domain is an IP address literal, which is not probed.' },
  server_error: {
    status: 'unknown',
    meaning: 'the mail server closed the connection or reported an error of its own.',
  },
  internal_error: { status: 'unknown', meaning: 'the validation failed because of an internal error.' },
  sandbox_unmapped: {
    status: 'unknown',
    meaning: 'a test key was used with an address that the sandbox does not map.',
  },
} as const satisfies Record<string, { status: Status; meaning: string }>

export type SubStatus = keyof typeof SUB_STATUSES

/** The reasons of one status, so that a wrong pair does not compile. */
export type SubStatusesOf<S extends Status> = {
  [Reason in SubStatus]: (typeof SUB_STATUSES)[Reason]['status'] extends S ? Reason : never
}[SubStatus]

/** The score of a status: the probability of delivery, or for `invalid` the probability of a hard bounce. */
export function confidenceIn(status: Status, deliverability: number): number {
  // Six digits, as `deliverability` has: digits beyond them are rounding errors of the subtraction.
  return status === 'invalid' ? Math.round((1 - deliverability) * 1e6) / 1e6 : deliverability
}

/** Traits of an address: an account can exclude them from `safe_to_send`, and policies can test for them. */
export const TRAITS = {
  disposable: 'addresses at temporary-email providers.',
  role_based: 'shared addresses such as info@ or sales@.',
  machine_generated: 'addresses whose local part looks auto-generated.',
  free: 'addresses at free mail providers.',
  privacy_relay: 'addresses that forward to a mailbox they hide.',
  tagged: 'addresses with a tag, as in ada+news.',
} as const satisfies Record<string, string>

export type Trait = keyof typeof TRAITS

export const EXCLUDED_TRAITS_DEFAULT: readonly Trait[] = ['disposable', 'role_based', 'machine_generated']

export const TRAIT_NAMES = Object.keys(TRAITS) as Trait[]

export type EvidenceCheck = keyof typeof EVIDENCE_CHECKS
export type EvidenceOutcome<C extends EvidenceCheck> = keyof (typeof EVIDENCE_CHECKS)[C]['outcomes'] & string

/** One finding behind a verdict, as in the schema `Evidence`. */
export type Evidence = {
  check: string
  outcome: string
  detail: string
  source: 'live' | 'cache'
  checked_at: string
  duration_ms: number
  log_odds?: number
}

/** A finding with the current time. Accepts only the outcomes of the check. */
export function evidenceItem<C extends EvidenceCheck>(
  check: C,
  outcome: EvidenceOutcome<C>,
  detail: string,
  durationMs = 0,
): Evidence {
  const duration_ms = Math.round(durationMs * 1000) / 1000
  return { check, outcome, detail, source: 'live', checked_at: new Date().toISOString(), duration_ms }
}
