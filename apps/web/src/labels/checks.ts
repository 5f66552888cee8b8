import { evidenceCheckLabel, evidenceOutcomeLabel } from '@probity/contract/constants/labels'

type CheckWords = { title: string; what: string }

/** Descriptions of the checks, in processing order. */
const DESCRIPTIONS: Record<string, string> = {
  worker: 'A worker process claims the address and runs the checks. Without one, validation does not start.',
  syntax: 'Whether the text is a well-formed address (RFC 5321 and RFC 5322). No network access is needed.',
  mx: 'MX records in DNS name the mail servers of the domain. Without a mail server, the domain cannot receive mail.',
  spf: 'Lists the servers that may send mail for the domain. It does not affect the verdict, but well-maintained domains have one.',
  dmarc: 'Defines how receivers treat forged mail from the domain. It does not affect the verdict.',
  domain_class:
    'Whether the domain is listed as a provider of disposable addresses, a privacy relay or a free mailbox provider.',
  recipient:
    'We open an SMTP session, send RCPT TO for the address and quit before DATA. No message is sent. The reply shows whether the server accepts the recipient.',
  catch_all: 'We also probe an address that does not exist. If it is accepted too, the domain is a catch-all.',
  domain_history:
    'Reported outcomes of messages to the same domain: delivered and bounced. Older reports have less weight.',
  address_text:
    'A small model estimates whether a person chose the part before the @. It runs within this service and was trained without real email addresses.',
  address_pattern:
    'Most domains use one address pattern, such as first.last. An address that matches the pattern of deliverable mailboxes is more likely to exist.',
  override:
    'Your account allows or blocks the address or its domain (Settings). This determines safe to send and does not change the verdict.',
  model:
    'Model predictions are compared with reported outcomes. If the error for a provider exceeds the threshold, the model is disabled there until it recovers.',
  sandbox:
    'In test mode no mail server is contacted. The part before the @ selects the result, as in valid@ or ada+mailbox-full@.',
}

/** Checks are an extensible enum: unknown ones are shown by their name. */
export function checkWords(check: string): CheckWords {
  const what = DESCRIPTIONS[check] ?? 'This check was added after this version of the page.'
  return { title: evidenceCheckLabel(check), what }
}

/** The position of a check in processing order; unknown checks are last. */
export function checkRank(check: string): number {
  const rank = Object.keys(DESCRIPTIONS).indexOf(check)
  return rank === -1 ? Number.MAX_SAFE_INTEGER : rank
}

export type OutcomeKind = 'good' | 'bad' | 'care' | 'open' | 'plain'
type Outcome = { kind: OutcomeKind; word: string }

/** By check and outcome, because the same outcome can be good in one check and bad in another. */
const OUTCOME_KINDS: Record<string, OutcomeKind> = {
  'worker not_claimed': 'open',
  'syntax passed': 'good',
  'mx found': 'good',
  'mx domain_not_found': 'bad',
  'mx no_mail_server': 'bad',
  'mx null_mx': 'bad',
  'spf found': 'good',
  'spf absent': 'plain',
  'dmarc found': 'good',
  'dmarc absent': 'plain',
  'domain_class not_listed': 'good',
  'domain_class disposable': 'care',
  'domain_class privacy_relay': 'plain',
  'domain_class free': 'plain',
  'recipient accepted': 'good',
  'recipient mailbox_not_found': 'bad',
  'recipient mailbox_disabled': 'bad',
  'recipient mailbox_moved': 'bad',
  'recipient domain_not_hosted': 'bad',
  'recipient mailbox_full': 'care',
  'recipient mailbox_busy': 'good',
  'recipient known_catch_all': 'care',
  'catch_all not_detected': 'good',
  'catch_all detected': 'care',
  'catch_all not_tested': 'open',
  'domain_history positive': 'good',
  'domain_history negative': 'care',
  'domain_history neutral': 'plain',
  'address_text human_like': 'good',
  'address_text machine_like': 'care',
  'address_text neutral': 'plain',
  'address_text abstained': 'plain',
  'address_pattern positive': 'good',
  'address_pattern negative': 'care',
  'address_pattern neutral': 'plain',
  'override allow': 'plain',
  'override block': 'plain',
  'model fallback': 'plain',
  'sandbox mapped': 'plain',
  'sandbox unmapped': 'open',
}

export function outcomeWords(check: string, outcome: string): Outcome {
  const kind = OUTCOME_KINDS[`${check} ${outcome}`] ?? (check === 'syntax' ? 'bad' : 'open')
  return { kind, word: evidenceOutcomeLabel(check, outcome) }
}
