import type { LedgerKind } from './billing.ts'
import { DOCTOR_CHECKS, type DoctorCheckId } from './data/doctor-checks.ts'
import { PROBLEMS } from './data/problems.ts'
import type { JobState } from './jobs.ts'
import type { EvidenceCheck, EvidenceOutcome, Status, SubStatus } from './validations.ts'
import type { WebhookEventType } from './webhooks.ts'

/**
 * One label for each value of the public enums, for the web app, the CLI and emails. The enums are extensible, so the functions accept
 * any text: a value that this version does not know is shown by its name.
 */
export const STATUS_LABELS = {
  valid: 'Valid',
  risky: 'Risky',
  invalid: 'Invalid',
  unknown: 'Unknown',
} as const satisfies Record<Status, string>

/** The reasons of a verdict. A valid address has none, so its label says what the verdict is based on. */
export const SUB_STATUS_LABELS = {
  '': 'Accepted by the mail server',
  syntax_error: 'Syntax error',
  domain_not_found: 'Domain not found',
  no_mail_server: 'No mail server',
  null_mx: 'Null MX',
  domain_not_hosted: 'Domain not hosted',
  mailbox_not_found: 'Mailbox not found',
  mailbox_disabled: 'Mailbox disabled',
  mailbox_moved: 'Mailbox moved',
  catch_all: 'Catch-all',
  catch_all_untested: 'Catch-all not tested',
  mailbox_full: 'Mailbox full',
  disposable: 'Disposable',
  not_probed: 'Not probed',
  not_started: 'Not started',
  dns_failed: 'DNS failed',
  not_routable: 'Not routable',
  connection_failed: 'Connection failed',
  timeout: 'Timeout',
  greylisted: 'Greylisted',
  rate_limited: 'Rate-limited',
  blocked: 'Blocked',
  policy_rejected: 'Rejected by policy',
  provider_unverifiable: 'Provider unverifiable',
  smtputf8_unsupported: 'SMTPUTF8 not supported',
  address_literal: 'Address literal',
  server_error: 'Mail server error',
  internal_error: 'Internal error',
  sandbox_unmapped: 'No simulated result',
} as const satisfies Record<SubStatus, string>

export const JOB_STATUS_LABELS = {
  queued: 'Queued',
  planning: 'Planning',
  processing: 'Validating',
  paused: 'Paused',
  completed: 'Completed',
  canceled: 'Canceled',
  failed: 'Failed',
} as const satisfies Record<JobState, string>

export const LEDGER_KIND_LABELS = {
  grant: 'Credits added',
  adjust: 'Adjustment',
  charge: 'Validation charge',
  reserve: 'Reserved for list',
  settle: 'List results charged',
  release: 'Reservation released',
  refund: 'Refund (unknown results)',
} as const satisfies Record<LedgerKind, string>

export const EVENT_LABELS = {
  'job.created': 'Job created',
  'job.paused': 'Job paused',
  'job.resumed': 'Job resumed',
  'job.completed': 'Job completed',
  'job.failed': 'Job failed',
  'job.canceled': 'Job canceled',
  'validation.resolved': 'Deferred validation resolved',
  'credits.low': 'Low credits',
  'key.created': 'API key created',
  'key.updated': 'API key changed',
  'key.rotated': 'API key rotated',
  'key.paused': 'API key paused',
  'key.resumed': 'API key resumed',
  'key.revoked': 'API key revoked',
  'key.expired': 'API key expired',
  'webhook.disabled': 'Webhook disabled',
  'webhook.test': 'Test event',
} as const satisfies Record<WebhookEventType, string>

/** In processing order. */
export const EVIDENCE_CHECK_LABELS = {
  worker: 'Worker',
  syntax: 'Syntax',
  mx: 'MX records',
  spf: 'SPF record',
  dmarc: 'DMARC record',
  domain_class: 'Domain class',
  recipient: 'SMTP probe',
  catch_all: 'Catch-all test',
  domain_history: 'Delivery history',
  address_text: 'Address text',
  address_pattern: 'Address pattern',
  override: 'Allow & block lists',
  model: 'Model',
  sandbox: 'Test mode',
} as const satisfies Record<EvidenceCheck, string>

const POLICY_RECORD = { found: 'Published', absent: 'Not published', failed: 'DNS query failed' } as const

/** Outcomes by check, since the same outcome means different things in different checks. */
export const EVIDENCE_OUTCOME_LABELS = {
  worker: { not_claimed: 'Not started' },
  syntax: {
    passed: 'Well formed',
    empty: 'Empty',
    too_long: 'Address too long',
    no_at: 'No @',
    display_name: 'Display name',
    comment: 'Comment',
    folding_white_space: 'White space',
    control_character: 'Control character',
    invisible_character: 'Invisible character',
    bad_character: 'Character not allowed',
    leading_dot: 'Leading dot',
    trailing_dot: 'Trailing dot',
    double_dot: 'Consecutive dots',
    unclosed_quote: 'Unclosed quotation mark',
    text_after_quote: 'Text after quotation mark',
    local_empty: 'Empty local part',
    local_too_long: 'Local part too long',
    domain_empty: 'Empty domain',
    domain_too_long: 'Domain too long',
    label_empty: 'Empty domain label',
    label_too_long: 'Domain label too long',
    label_hyphen: 'Misplaced hyphen',
    bad_idna: 'Invalid internationalized domain',
    single_label: 'Domain without a dot',
    numeric_tld: 'Numeric top-level domain',
    bad_literal: 'Invalid address literal',
  },
  mx: {
    found: 'Found',
    domain_not_found: 'Domain not found',
    no_mail_server: 'No mail server',
    null_mx: 'Null MX',
    not_routable: 'Not routable',
    timeout: 'DNS timeout',
    servfail: 'SERVFAIL',
    refused: 'REFUSED',
    malformed: 'Malformed DNS response',
    unreachable: 'DNS server unreachable',
    canceled: 'Canceled',
    bad_name: 'Invalid DNS name',
    query_limit_reached: 'DNS query limit reached',
    unresolved_alias: 'Unresolved CNAME',
    resolver_untrusted: 'Resolver failed its check',
    inconsistent: 'Inconsistent DNS responses',
    other: 'DNS query failed',
  },
  spf: POLICY_RECORD,
  dmarc: POLICY_RECORD,
  domain_class: {
    disposable: 'Disposable',
    privacy_relay: 'Privacy relay',
    free: 'Free provider',
    not_listed: 'Not listed',
  },
  recipient: {
    accepted: 'Accepted',
    mailbox_not_found: 'Mailbox not found',
    mailbox_disabled: 'Mailbox disabled',
    mailbox_full: 'Mailbox full',
    mailbox_moved: 'Mailbox moved',
    mailbox_busy: 'Mailbox busy',
    policy_rejected: 'Rejected by policy',
    domain_not_hosted: 'Domain not hosted',
    greylisted: 'Greylisted',
    verification_pending: 'Verification pending',
    rate_limited: 'Rate-limited',
    too_many_recipients: 'Recipient limit reached',
    too_many_errors: 'Error limit reached',
    ip_blocked: 'IP blocked',
    ptr_required: 'PTR record required',
    sender_rejected: 'Sender rejected',
    spf_required: 'SPF pass required',
    tls_required: 'TLS required',
    geo_blocked: 'Country blocked',
    smtputf8_unsupported: 'SMTPUTF8 not supported',
    server_error: 'Mail server error',
    unclassified: 'Unclassified reply',
    unverifiable: 'Accepted without verification',
    connection_failed: 'Connection failed',
    not_routable: 'Not routable',
    dns_failed: 'DNS failed',
    timeout: 'Timeout',
    connection_closed: 'Connection closed',
    protocol_error: 'Protocol error',
    throttled: 'Throttled',
    unconfirmed_rejection: 'Unconfirmed rejection',
    provider_unverifiable: 'Provider unverifiable',
    known_catch_all: 'Known catch-all',
    unencodable: 'Cannot be encoded',
    no_egress: 'No egress',
    opted_out: 'Domain opted out',
    domain_limit: 'Daily limit of the domain',
  },
  catch_all: { detected: 'Catch-all', not_detected: 'Not catch-all', not_tested: 'Not tested' },
  domain_history: { positive: 'Mostly delivered', negative: 'Often bounced', neutral: 'Average' },
  address_text: {
    human_like: 'Looks chosen by a person',
    machine_like: 'Looks auto-generated',
    neutral: 'Neutral',
    abstained: 'Not scored',
  },
  address_pattern: { positive: 'Matches the pattern', negative: 'Does not match the pattern', neutral: 'Neutral' },
  override: { allow: 'Allowed', block: 'Blocked' },
  model: { fallback: 'Not used' },
  sandbox: { mapped: 'Simulated', unmapped: 'No result' },
} as const satisfies { [C in EvidenceCheck]: Record<EvidenceOutcome<C>, string> }

/** The plans of a new installation. Operators can add more in the table `plans`. */
const PLAN_LABELS = {
  free: 'Free',
  payg: 'Pay as you go',
  starter: 'Starter',
  growth: 'Growth',
  scale: 'Scale',
}

export const statusLabel = (status: string): string => labelIn(STATUS_LABELS, status)
export const reasonLabel = (subStatus: string): string => labelIn(SUB_STATUS_LABELS, subStatus)
export const jobStatusLabel = (status: string): string => labelIn(JOB_STATUS_LABELS, status)
export const ledgerKindLabel = (kind: string): string => labelIn(LEDGER_KIND_LABELS, kind)
export const planLabel = (plan: string): string => labelIn(PLAN_LABELS, plan)
export const eventLabel = (type: string): string => labelIn(EVENT_LABELS, type)
export const evidenceCheckLabel = (check: string): string => labelIn(EVIDENCE_CHECK_LABELS, check)

export function evidenceOutcomeLabel(check: string, outcome: string): string {
  const labels: Partial<Record<string, Record<string, string>>> = EVIDENCE_OUTCOME_LABELS
  return labelIn(labels[check] ?? {}, outcome)
}

/** Titles of problems and doctor checks are in their own tables, which have more than a label for each value. */
export function problemLabel(code: string): string {
  return Object.hasOwn(PROBLEMS, code) ? PROBLEMS[code as keyof typeof PROBLEMS].title : humanize(code)
}

export function doctorCheckLabel(check: string): string {
  return Object.hasOwn(DOCTOR_CHECKS, check) ? DOCTOR_CHECKS[check as DoctorCheckId].title : humanize(check)
}

function labelIn(labels: Record<string, string>, value: string): string {
  return (Object.hasOwn(labels, value) ? labels[value] : undefined) ?? humanize(value)
}

/** "a_new_value" as "A new value". */
function humanize(value: string): string {
  const spaced = value.replaceAll(/[._-]/g, ' ')
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}
