import { type Status, SUB_STATUSES, type SubStatus } from '@probity/contract/constants/validations'
import type { Address, Malformed } from '../address/parse.ts'
import type { MailHosts } from '../domain/mail-hosts.ts'
import type { FailureReason, ProbeResult, SkipReason } from '../smtp/probe/result.ts'
import type { Reason } from '../smtp/replies/rules.ts'

/** All findings about an address. Checks that were skipped are missing. */
export type Findings = {
  address: Address | Malformed
  isRole: boolean
  mail?: MailHosts
  isDisposable?: boolean
  mailbox?: ProbeResult
}

export type Decision = { status: Status; subStatus: SubStatus; isValid: boolean }

/** Decides by precedence: invalid, disposable, unknown, other risks, valid. */
export function decide(findings: Findings): Decision {
  const subStatus = strongest(findings)
  const { status } = SUB_STATUSES[subStatus]
  return { status, subStatus, isValid: status === 'valid' }
}

function strongest({ address, mail, isDisposable, mailbox }: Findings): SubStatus {
  if (address.kind === 'malformed') return 'syntax_error'
  if (mail?.kind === 'none') return mail.reason
  const said = mailbox && judge(mailbox)
  if (said !== undefined && SUB_STATUSES[said].status === 'invalid') return said
  if (isDisposable) return 'disposable'
  if (address.domain.kind === 'literal') return 'address_literal'
  return said ?? (mail === undefined ? 'not_probed' : reasonOf(mail))
}

/** The DNS result of a domain that accepts mail does not show whether the mailbox exists. */
function reasonOf(mail: Exclude<MailHosts, { kind: 'none' }>): SubStatus {
  switch (mail.kind) {
    case 'hosts':
      return 'not_probed'
    case 'unroutable':
      return 'not_routable'
    case 'unknown':
      return 'dns_failed'
  }
}

/** The sub-status of a probe. */
function judge({ finding, acceptAll, untestedFor }: ProbeResult): SubStatus {
  switch (finding.kind) {
    case 'accepted':
      return accepted(acceptAll, untestedFor)
    case 'refused':
      // Only an existing mailbox can get too much mail, where the host knows its recipients.
      return finding.reason === 'mailbox_busy'
        ? accepted(acceptAll, untestedFor)
        : refused(finding.reason, finding.code)
    case 'unverifiable':
      return 'provider_unverifiable'
    case 'unanswered':
      return UNANSWERED[finding.why]
    case 'unasked':
      return UNASKED[finding.why]
  }
}

function accepted(acceptAll: ProbeResult['acceptAll'], untestedFor: ProbeResult['untestedFor']): SubStatus {
  if (acceptAll === 'yes') return 'catch_all'
  return acceptAll === 'no' ? '' : untested(untestedFor)
}

/** Accepted by a server that may be a catch-all: without the catch-all test the result stays unknown. */
function untested(why: ProbeResult['untestedFor']): SubStatus {
  if (why === 'not_wanted') return 'catch_all_untested'
  if (why === 'timeout') return 'timeout'
  if (why === undefined || why === 'hosts_disagree' || why === 'mailbox_busy') return 'server_error'
  const said = REFUSED[why]
  return SUB_STATUSES[said].status === 'unknown' ? said : 'server_error'
}

function refused(reason: RejectionReason, code: number): SubStatus {
  // An unclassified permanent rejection counts as a policy, a temporary one as an error.
  if (reason === 'unclassified') return code >= 500 ? 'policy_rejected' : 'server_error'
  return REFUSED[reason]
}

type RejectionReason = Exclude<Reason, 'mailbox_busy'>

/** Complete by type: a new reason needs a row here. Reasons about us stay unknown. */
const REFUSED: Record<RejectionReason, SubStatus> = {
  mailbox_not_found: 'mailbox_not_found',
  mailbox_disabled: 'mailbox_disabled',
  mailbox_full: 'mailbox_full',
  mailbox_moved: 'mailbox_moved',
  policy_rejected: 'policy_rejected',
  domain_not_hosted: 'domain_not_hosted',
  greylisted: 'greylisted',
  verification_pending: 'greylisted',
  rate_limited: 'rate_limited',
  too_many_recipients: 'rate_limited',
  too_many_errors: 'rate_limited',
  ip_blocked: 'blocked',
  ptr_required: 'blocked',
  sender_rejected: 'blocked',
  spf_required: 'blocked',
  geo_blocked: 'blocked',
  tls_required: 'policy_rejected',
  smtputf8_unsupported: 'smtputf8_unsupported',
  server_error: 'server_error',
  unclassified: 'server_error',
}

const UNANSWERED: Record<FailureReason, SubStatus> = {
  connection_failed: 'connection_failed',
  not_routable: 'not_routable',
  dns_failed: 'dns_failed',
  timeout: 'timeout',
  connection_closed: 'server_error',
  protocol_error: 'server_error',
  throttled: 'rate_limited',
  unconfirmed_rejection: 'connection_failed',
}

const UNASKED: Record<SkipReason, SubStatus> = {
  provider_unverifiable: 'provider_unverifiable',
  known_catch_all: 'catch_all',
  smtputf8_unsupported: 'smtputf8_unsupported',
  unencodable: 'not_probed',
  no_egress: 'not_probed',
  opted_out: 'not_probed',
  domain_limit: 'not_probed',
}
