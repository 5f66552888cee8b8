import { STATUSES, type Status, SUB_STATUSES, type SubStatus } from '@probity/contract/status'

/** The verdict in a sentence or two, for somebody who has never heard of SMTP. `at` is the domain of the address. */
const SENTENCES: Record<SubStatus, (at: string) => string> = {
  '': (at) => `The mail server of ${at} accepts mail for this mailbox.`,

  syntax_error: () => 'This is not an email address, so no mail can be sent to it.',
  domain_not_found: (at) => `The domain ${at} does not exist. Mail to it would bounce.`,
  no_mail_server: (at) => `The domain ${at} exists, but no server takes mail for it. Mail to it would bounce.`,
  null_mx: (at) => `The domain ${at} declares that it takes no mail. Mail to it would bounce.`,
  domain_not_hosted: (at) => `The mail server says that it does not serve ${at}. Mail to it would bounce.`,
  mailbox_not_found: (at) => `The mail server of ${at} says that there is no such mailbox. Mail to it would bounce.`,
  mailbox_disabled: (at) => `The mailbox at ${at} has been switched off. Mail to it would bounce.`,
  mailbox_moved: (at) => `The mail server of ${at} says that the mailbox has moved. Mail to this address would bounce.`,

  catch_all_untested: (at) =>
    `The mail server of ${at} accepted the address. Whether it accepts every address was not tested, as you asked.`,
  catch_all: (at) => `${at} accepts mail for every address, so nobody can tell from outside whether this one is read.`,
  mailbox_full: () => 'The mailbox exists, but it has no room now. Mail bounces until its owner makes some.',
  disposable: (at) => `${at} hands out addresses that are thrown away after use. Mail may arrive, but hardly for long.`,

  not_probed: (at) => `The mail server of ${at} was not asked, so nobody knows whether the mailbox exists.`,
  not_started: () =>
    'Validation did not start, because no worker was available in time. No mail server was contacted, and no credit was charged.',
  dns_failed: (at) => `DNS gave no usable answer for ${at}. That may pass, and it says nothing against the address.`,
  not_routable: (at) => `The mail servers of ${at} cannot be reached from the public internet.`,
  connection_failed: (at) => `No mail server of ${at} could be reached. That says nothing against the mailbox.`,
  timeout: (at) => `The mail server of ${at} did not answer in time. That says nothing against the mailbox.`,
  greylisted: (at) => `The mail server of ${at} asked us to come back later, as it does with every newcomer.`,
  rate_limited: (at) => `The mail server of ${at} takes no more questions from us for now.`,
  blocked: (at) => `The mail server of ${at} refuses to talk to us. That says nothing against the mailbox.`,
  policy_rejected: (at) =>
    `The mail server of ${at} refused for a reason of its own that tells nothing of the mailbox.`,
  provider_unverifiable: (at) => `The provider of ${at} gives the same answer whether or not a mailbox exists.`,
  smtputf8_unsupported: (at) => `The address has letters that the mail server of ${at} does not take.`,
  address_literal: () => 'The address names a network address instead of a domain. We do not ask those.',
  server_error: (at) => `The mail server of ${at} broke off or answered with an error of its own.`,
  internal_error: () => 'Something failed on our side. Nothing was learnt about the address.',
  sandbox_unmapped: () => 'Test mode has no answer for this address. It goes by the part before the @, as in valid@.',
}

const BY_STATUS: Record<Status, string> = {
  valid: 'The mail server accepts mail for this mailbox.',
  invalid: 'Mail to this address cannot be delivered.',
  risky: 'Mail may be accepted, but there is a reason to hesitate.',
  unknown: 'We could not find out. This says nothing against the address.',
}

/** Reasons are an open list: one that is new to this page is told by its status. */
export function verdictSentence(status: string, subStatus: string, domain: string): string {
  const at = domain === '' ? 'the domain' : domain
  const known = (SENTENCES as Record<string, (at: string) => string>)[subStatus]
  if (known !== undefined && (subStatus !== '' || status === 'valid')) return capitalise(known(at))
  return (BY_STATUS as Record<string, string>)[status] ?? BY_STATUS.unknown
}

/** The reason in a few words, as it is listed in the reference. */
export function reasonMeaning(status: string, subStatus: string): string {
  const reasons: Record<string, { meaning: string }> = SUB_STATUSES
  const statuses: Record<string, string> = STATUSES
  const text = reasons[subStatus]?.meaning ?? statuses[status] ?? 'the reason is new to this page.'
  return capitalise(text)
}

/** What happens next with a result that is still open. */
const NEXT: Partial<Record<SubStatus, string>> = {
  greylisted:
    'Servers put off newcomers once to keep senders of junk away. We wait as long as it asks, then try again.',
  rate_limited: 'We slow down for this provider and go on when it lets us.',
  timeout: 'The question is still open at the mail server. We go on waiting for it.',
  connection_failed: 'Servers go away for a while now and then. We try again.',
  server_error: 'Such errors mostly pass. We try again.',
  dns_failed: 'Failures of DNS mostly pass. We look it up again.',
}

export function whatHappensNext(subStatus: string): string {
  return (NEXT as Record<string, string>)[subStatus] ?? 'We go on with it.'
}

/** How sure, in a word. */
export function confidenceWord(confidence: number): string {
  if (confidence >= 0.95) return 'Very high'
  if (confidence >= 0.85) return 'High'
  return confidence >= 0.6 ? 'Medium' : 'Low'
}

function capitalise(text: string): string {
  // A domain stays as it is spelt.
  return /^[a-z]+\s/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text
}
