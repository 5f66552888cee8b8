/** How a check is called, where it stands on the way of an address, and what it is for. */
type CheckWords = { title: string; what: string }

/** In the order of the way. Checks are an open list: new ones stand before the decision, under their own name. */
const CHECKS: Record<string, CheckWords> = {
  worker: {
    title: 'Worker',
    what: 'A worker process claims the address and runs the checks. Without one, validation does not start.',
  },
  syntax: {
    title: 'Syntax',
    what: 'Whether the text is an address by the rules of mail (RFC 5321 and RFC 5322). It needs no network.',
  },
  mx: {
    title: 'Mail hosts',
    what: 'The domain’s MX records in DNS name the servers that take its mail. Without any, mail has nowhere to go.',
  },
  spf: {
    title: 'SPF record',
    what: 'Says who may send mail for the domain. It does not decide the verdict, but domains that are looked after have one.',
  },
  dmarc: {
    title: 'DMARC record',
    what: 'Says what to do with forged mail of the domain. It does not decide the verdict either.',
  },
  domain_class: {
    title: 'Domain class',
    what: 'Whether the domain is listed as a provider of disposable addresses, a privacy relay or a free mailbox provider.',
  },
  recipient: {
    title: 'Mail server',
    what: 'We begin a delivery, name the recipient, and stop before any message is sent. The server’s reply says whether it would take mail.',
  },
  catch_all: {
    title: 'Catch-all test',
    what: 'We name a recipient that cannot exist. A server that takes this one too takes everything, and its yes means little.',
  },
  domain_history: {
    title: 'Earlier mail',
    what: 'What was reported of messages to the same domain: how many arrived and how many bounced. The older a report, the less it counts.',
  },
  address_text: {
    title: 'Text of the address',
    what: 'A small model reads the part before the @ and says whether a person is likely to have chosen it. It runs within this service and has never seen anybody’s address.',
  },
  address_pattern: {
    title: 'Build of the address',
    what: 'Most domains build all their addresses alike, as in first name, dot, last name. One that is built like those that took mail is likelier to be there.',
  },
  override: {
    title: 'Allow & block lists',
    what: 'Your account allows or blocks the address or its domain (Settings). It decides safe to send and does not change the verdict.',
  },
  model: {
    title: 'Model',
    what: 'What the model says is compared with what becomes of mail. Where it has been wrong too often, it has no say until it is right again.',
  },
  sandbox: {
    title: 'Test mode',
    what: 'In test mode nobody is asked. The part before the @ chooses the answer, as in valid@ or ada+mailbox-full@.',
  },
}

export function checkWords(check: string): CheckWords {
  return CHECKS[check] ?? { title: readable(check), what: 'This check is newer than this page.' }
}

/** Where a check stands on the way; what is not known stands last. */
export function checkRank(check: string): number {
  const rank = Object.keys(CHECKS).indexOf(check)
  return rank === -1 ? Number.MAX_SAFE_INTEGER : rank
}

export type OutcomeKind = 'good' | 'bad' | 'care' | 'open' | 'plain'
type Outcome = { kind: OutcomeKind; word: string }

/** By check and outcome, for what is good in one check may be bad in another. */
const OUTCOMES: Record<string, Outcome> = {
  'worker not_claimed': { kind: 'open', word: 'Not started' },
  'syntax passed': { kind: 'good', word: 'Well formed' },
  'mx found': { kind: 'good', word: 'Found' },
  'mx domain_not_found': { kind: 'bad', word: 'No such domain' },
  'mx no_mail_server': { kind: 'bad', word: 'None' },
  'mx null_mx': { kind: 'bad', word: 'Takes no mail' },
  'spf found': { kind: 'good', word: 'Published' },
  'spf absent': { kind: 'plain', word: 'Not published' },
  'dmarc found': { kind: 'good', word: 'Published' },
  'dmarc absent': { kind: 'plain', word: 'Not published' },
  'domain_class not_listed': { kind: 'good', word: 'Not listed' },
  'domain_class disposable': { kind: 'care', word: 'Disposable' },
  'domain_class privacy_relay': { kind: 'plain', word: 'Privacy relay' },
  'domain_class free': { kind: 'plain', word: 'Free provider' },
  'recipient accepted': { kind: 'good', word: 'Accepted' },
  'recipient mailbox_not_found': { kind: 'bad', word: 'No such mailbox' },
  'recipient mailbox_disabled': { kind: 'bad', word: 'Switched off' },
  'recipient mailbox_moved': { kind: 'bad', word: 'Moved' },
  'recipient domain_not_hosted': { kind: 'bad', word: 'Not served here' },
  'recipient mailbox_full': { kind: 'care', word: 'Full' },
  'recipient mailbox_busy': { kind: 'good', word: 'There, and busy' },
  'recipient known_catch_all': { kind: 'care', word: 'Known catch-all' },
  'catch_all not_detected': { kind: 'good', word: 'Not catch-all' },
  'catch_all detected': { kind: 'care', word: 'Catch-all' },
  'catch_all not_tested': { kind: 'open', word: 'Not tested' },
  'domain_history positive': { kind: 'good', word: 'Mostly arrived' },
  'domain_history negative': { kind: 'care', word: 'Often bounced' },
  'domain_history neutral': { kind: 'plain', word: 'As usual' },
  'address_text human_like': { kind: 'good', word: 'Looks chosen by a person' },
  'address_text machine_like': { kind: 'care', word: 'Looks auto-generated' },
  'address_text neutral': { kind: 'plain', word: 'Says little' },
  'address_text abstained': { kind: 'plain', word: 'Not weighed' },
  'address_pattern positive': { kind: 'good', word: 'Like the others' },
  'address_pattern negative': { kind: 'care', word: 'Unlike the others' },
  'address_pattern neutral': { kind: 'plain', word: 'Says little' },
  'model fallback': { kind: 'plain', word: 'Has no say' },
  'sandbox mapped': { kind: 'plain', word: 'Simulated' },
  'sandbox unmapped': { kind: 'open', word: 'No answer' },
}

export function outcomeWords(check: string, outcome: string): Outcome {
  const known = OUTCOMES[`${check} ${outcome}`]
  if (known) return known
  return { kind: check === 'syntax' ? 'bad' : 'open', word: readable(outcome) }
}

function readable(text: string): string {
  const spaced = text.replaceAll('_', ' ')
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}
