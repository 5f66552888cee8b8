import { BASE_RATES } from '../../constants/data/model-parameters.ts'
import type { SandboxCase } from '../../constants/data/sandbox.ts'
import type { OverrideAction } from '../../constants/policies.ts'
import { partsOf } from '../../constants/sandbox.ts'
import {
  confidenceIn,
  evidenceItem,
  SUB_STATUSES,
  type SubStatus,
  type SubStatusesOf,
} from '../../constants/validations.ts'
import type { ValidationResult } from './single.ts'

/**
 * A result without the fields that belong to one response: its time, the client's plan and policy, and whether the validation is deferred.
 * The account's override is stored with the results of a job, and looked up for every other response.
 */
export type StoredResult = Omit<
  ValidationResult,
  'performance' | 'metadata' | 'id' | 'livemode' | 'retry_at' | 'policy' | 'override' | 'reference'
> & { override?: OverrideAction }

/** The result of a validation that no worker had claimed when its request timed out: neither its domain nor its mailbox was checked. */
export function notStartedResult(email: string): StoredResult {
  return { ...pendingResult(email, 'not_started'), evidence: [evidenceItem('worker', 'not_claimed', NOT_STARTED)] }
}

const NOT_STARTED =
  'No worker claimed the address before the timeout. Validation did not start, and no mail server was contacted.'

/** The result of an inconclusive validation: pending, without a mailbox check, or without a sandbox case. */
export function pendingResult(email: string, subStatus: SubStatusesOf<'unknown'>): StoredResult {
  const { p } = BASE_RATES[subStatus]
  return {
    email,
    status: 'unknown',
    sub_status: subStatus,
    confidence: p,
    deliverability: p,
    depth: 'dns',
    safe_to_send: false,
    is_valid: false,
    details: {
      syntax_valid: false,
      dns_valid: false,
      smtp_valid: false,
      smtp_code: 0,
      domain: '',
      provider: '',
      is_disposable: false,
      is_role_based: false,
      has_spf: false,
      has_dmarc: false,
      mx: [],
      canonical_email: null,
      local_part: null,
      tag: null,
      domain_unicode: null,
    },
    catchall: { is_catchall: false, confidence: null },
    ai_enhancement: { used: false, method: null },
    did_you_mean: null,
    flags: { is_free: false, is_privacy_relay: false, is_tagged: false, is_machine_generated: false },
    evidence: [],
  }
}

type Verdict = Pick<Extract<SandboxCase, { kind: 'verdict' }>, 'subStatus' | 'trait'>

/** Verdict on an address that was not probed. */
export function sandboxResult(email: string, { subStatus, trait }: Verdict): StoredResult {
  // As in live mode: a validation that did not start has no findings.
  if (subStatus === 'not_started') return { ...pendingResult(email, subStatus), evidence: [mappedEvidence()] }
  const { status } = SUB_STATUSES[subStatus]
  const { p } = BASE_RATES[subStatus]
  const isValid = status === 'valid'
  const smtpCode = SMTP_CODES[subStatus] ?? 0
  const hasDomain = !WITHOUT_MAIL_SERVER.has(subStatus)
  const { local, domain } = partsOf(email)
  return {
    email,
    status,
    sub_status: subStatus,
    confidence: confidenceIn(status, p),
    deliverability: p,
    depth: smtpCode > 0 || TRIED.has(subStatus) ? 'smtp' : 'dns',
    safe_to_send: isValid && trait !== 'role',
    is_valid: isValid,
    details: {
      syntax_valid: subStatus !== 'syntax_error',
      dns_valid: hasDomain,
      smtp_valid: smtpCode === ACCEPTED,
      smtp_code: smtpCode,
      domain: domain.toLowerCase(),
      provider: '',
      is_disposable: subStatus === 'disposable',
      is_role_based: trait === 'role',
      has_spf: hasDomain,
      has_dmarc: hasDomain,
      ...(subStatus === 'syntax_error' ? NO_PARTS : describeParts(email, hasDomain)),
    },
    catchall: { is_catchall: subStatus === 'catch_all', confidence: smtpCode === ACCEPTED ? 0.98 : null },
    ai_enhancement: { used: false, method: null },
    did_you_mean: trait === 'typo' ? `${local}@gmail.com` : null,
    flags: {
      is_free: trait === 'free',
      is_privacy_relay: trait === 'privacy_relay',
      is_tagged: local.includes('+'),
      is_machine_generated: false,
    },
    evidence: [mappedEvidence()],
  }
}

const NO_PARTS = { mx: [], canonical_email: null, local_part: null, tag: null, domain_unicode: null }

/** Simulated like the rest: no parser and no DNS is used. */
function describeParts(email: string, hasDomain: boolean) {
  const { local, domain } = partsOf(email)
  const plus = local.indexOf('+')
  return {
    mx: hasDomain ? [{ host: `mx.${domain.toLowerCase()}`, preference: 10 }] : [],
    canonical_email: email.toLowerCase(),
    local_part: local,
    tag: plus === -1 ? null : local.slice(plus + 1),
    domain_unicode: domain.toLowerCase(),
  }
}

/** Result for addresses that the sandbox does not map. Never `valid`, so that a forgotten test key does not approve addresses. */
export function unmappedResult(email: string): StoredResult {
  const hint =
    'Test mode has no result for this address. The local part selects the result, as in valid@ or ada+mailbox-full@.'
  return { ...pendingResult(email, 'sandbox_unmapped'), evidence: [evidenceItem('sandbox', 'unmapped', hint)] }
}

const mappedEvidence = () =>
  evidenceItem('sandbox', 'mapped', 'The local part selects this result of test mode. No mail server was contacted.')

const ACCEPTED = 250

/** Simulated reply of a mail server. */
const SMTP_CODES: Partial<Record<SubStatus, number>> = {
  '': ACCEPTED,
  catch_all: ACCEPTED,
  disposable: ACCEPTED,
  mailbox_full: 552,
  mailbox_not_found: 550,
  mailbox_disabled: 550,
  mailbox_moved: 551,
  domain_not_hosted: 550,
  greylisted: 451,
  rate_limited: 450,
  blocked: 554,
  policy_rejected: 550,
  server_error: 451,
}

/** Outcome of a probe without a reply to RCPT. */
const TRIED = new Set<SubStatus>(['connection_failed', 'timeout', 'smtputf8_unsupported', 'catch_all_untested'])

const WITHOUT_MAIL_SERVER = new Set<SubStatus>([
  'syntax_error',
  'domain_not_found',
  'no_mail_server',
  'null_mx',
  'dns_failed',
  'address_literal',
])
