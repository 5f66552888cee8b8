import { STATUSES, type Status, SUB_STATUSES, type SubStatus } from '@probity/contract/constants/validations'

/** The verdict in one or two sentences for readers without SMTP knowledge. `at` is the domain of the address. */
const SENTENCES: Record<SubStatus, (at: string) => string> = {
  '': (at) => `The mail server for ${at} accepts mail for this mailbox.`,

  syntax_error: () => 'This is not an email address, so no mail can be sent to it.',
  domain_not_found: (at) => `The domain ${at} does not exist. Mail to it would bounce.`,
  no_mail_server: (at) => `The domain ${at} exists, but has no mail server. Mail to it would bounce.`,
  null_mx: (at) => `The domain ${at} declares that it does not accept mail. Mail to it would bounce.`,
  domain_not_hosted: (at) => `The mail server does not accept mail for ${at}. Mail to it would bounce.`,
  mailbox_not_found: (at) =>
    `The mail server for ${at} reports that the mailbox does not exist. Mail to it would bounce.`,
  mailbox_disabled: (at) => `The mailbox at ${at} is disabled. Mail to it would bounce.`,
  mailbox_moved: (at) =>
    `The mail server for ${at} reports that the mailbox has moved. Mail to this address would bounce.`,

  catch_all_untested: (at) =>
    `The mail server for ${at} accepted the address. The catch-all test was skipped as requested.`,
  catch_all: (at) => `${at} accepts mail for every address (catch-all), so the mailbox cannot be confirmed.`,
  mailbox_full: () => 'The mailbox exists but is full. Mail bounces until space is freed.',
  disposable: (at) =>
    `${at} is a disposable email provider. Mail may be delivered, but the address is unlikely to last.`,

  not_probed: (at) => `The mail server for ${at} was not probed, so it is not known whether the mailbox exists.`,
  not_started: () =>
    'Validation did not start, because no worker was available in time. No mail server was contacted, and no credit was charged.',
  dns_failed: (at) =>
    `DNS returned no usable response for ${at}. This may be temporary and does not mean that the address is invalid.`,
  not_routable: (at) => `The mail servers for ${at} cannot be reached from the public internet.`,
  connection_failed: (at) =>
    `No mail server for ${at} could be reached. This does not mean that the mailbox is invalid.`,
  timeout: (at) => `The mail server for ${at} did not respond in time. This does not mean that the mailbox is invalid.`,
  greylisted: (at) => `The mail server for ${at} rejected the probe temporarily (greylisting).`,
  rate_limited: (at) => `The mail server for ${at} is rate-limiting us.`,
  blocked: (at) => `The mail server for ${at} is blocking us. This does not mean that the mailbox is invalid.`,
  policy_rejected: (at) => `The mail server for ${at} rejected the probe for policy reasons unrelated to the mailbox.`,
  provider_unverifiable: (at) => `The provider of ${at} returns the same reply whether or not a mailbox exists.`,
  smtputf8_unsupported: (at) => `The address contains characters that the mail server for ${at} does not support.`,
  address_literal: () => 'The domain is an IP address, which is not probed.',
  server_error: (at) => `The mail server for ${at} closed the connection or returned a server error.`,
  internal_error: () => 'An internal error occurred. Nothing is known about the address.',
  sandbox_unmapped: () =>
    'Test mode has no result for this address. The part before the @ selects the result, as in valid@.',
}

const BY_STATUS: Record<Status, string> = {
  valid: 'The mail server accepts mail for this mailbox.',
  invalid: 'Mail to this address cannot be delivered.',
  risky: 'Mail may be accepted, but there is a known risk.',
  unknown: 'The result could not be determined. This does not mean that the address is invalid.',
}

/** Reasons are an extensible enum: an unknown one is described by its status. */
export function verdictSentence(status: string, subStatus: string, domain: string): string {
  const at = domain === '' ? 'the domain' : domain
  const known = (SENTENCES as Record<string, (at: string) => string>)[subStatus]
  if (known !== undefined && (subStatus !== '' || status === 'valid')) return capitalize(known(at))
  return (BY_STATUS as Record<string, string>)[status] ?? BY_STATUS.unknown
}

/** The meaning of the reason, as listed in the API reference. */
export function reasonMeaning(status: string, subStatus: string): string {
  const reasons: Record<string, { meaning: string }> = SUB_STATUSES
  const statuses: Record<string, string> = STATUSES
  const text =
    reasons[subStatus]?.meaning ?? statuses[status] ?? 'this reason was added after this version of the page.'
  return capitalize(text)
}

/** The next step for a deferred result. */
const NEXT: Partial<Record<SubStatus, string>> = {
  greylisted:
    'Greylisting rejects first-time senders temporarily to deter spam. We retry after the delay that the server requires.',
  rate_limited: 'We reduce the probe rate for this provider and retry when it allows.',
  timeout: 'The probe is still in progress. We keep waiting for the reply.',
  connection_failed: 'The server may be temporarily down. We retry automatically.',
  server_error: 'These errors are usually temporary. We retry automatically.',
  dns_failed: 'DNS failures are usually temporary. We retry automatically.',
}

export function whatHappensNext(subStatus: string): string {
  return (NEXT as Record<string, string>)[subStatus] ?? 'We retry automatically.'
}

/** The confidence as a word. */
export function confidenceWord(confidence: number): string {
  if (confidence >= 0.95) return 'Very high'
  if (confidence >= 0.85) return 'High'
  return confidence >= 0.6 ? 'Medium' : 'Low'
}

function capitalize(text: string): string {
  // A domain at the start keeps its spelling.
  return /^[a-z]+\s/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text
}
