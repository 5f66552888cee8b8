import type { Evidence } from '@probity/contract/evidence'
import { MALFORMED_REASONS } from '../address/data/malformed-reasons.ts'
import type { Address, Malformed } from '../address/parse.ts'
import type { DomainFacts } from '../domain/facts.ts'
import type { DomainClass } from '../domain/lists.ts'
import type { MailHosts } from '../domain/mail-hosts.ts'
import type { Finding, MailboxAnswer, Said, Unasked } from '../mailbox/answer.ts'

/** What the text itself showed. */
export function syntaxEvidence(address: Address | Malformed, ms: number): Evidence {
  const found = address.kind === 'address'
  const detail = found ? 'The text is a well-formed address.' : MALFORMED_REASONS[address.reason]
  return item('syntax', found ? 'passed' : address.reason, detail, ms)
}

/** What DNS showed, in the order it was asked. */
export function domainEvidence({ mail, spf, dmarc, asked }: DomainFacts, source: 'live' | 'cache'): Evidence[] {
  const details: Record<string, string> = {
    mx: describeMail(mail),
    spf: describePolicy('an SPF record', spf),
    dmarc: describePolicy('a DMARC record', dmarc),
  }
  return asked.map(({ check, outcome, ms, at }) => ({ ...item(check, outcome, details[check] ?? '', ms), source, at }))
}

export function listEvidence({ isDisposable, isPrivacyRelay, isFree }: DomainClass): Evidence {
  if (isDisposable)
    return item('lists', 'disposable', 'The domain hands out addresses that are thrown away after use.', 0)
  if (isPrivacyRelay) return item('lists', 'privacy_relay', 'The domain forwards to mailboxes that it hides.', 0)
  if (isFree) return item('lists', 'free', 'The domain belongs to a free mail provider.', 0)
  return item('lists', 'not_listed', 'The domain is on none of our lists.', 0)
}

function item(check: string, outcome: string, detail: string, ms: number): Evidence {
  return { check, outcome, detail, source: 'live', at: Date.now() / 1000, ms: Math.round(ms * 1000) / 1000 }
}

function describeMail(mail: MailHosts): string {
  switch (mail.kind) {
    case 'hosts':
      return mail.source === 'mx'
        ? `Mail goes to ${mail.hosts.length === 1 ? 'one host' : `${mail.hosts.length} hosts`}, first to ${mail.hosts[0]?.name}.`
        : 'The domain names no mail host and takes mail itself (RFC 5321, section 5.1).'
    case 'none':
      return NO_MAIL[mail.reason]
    case 'unroutable':
      return 'The mail hosts that the domain names cannot be reached on the public internet.'
    case 'unknown':
      return `DNS gave no usable answer (${mail.failure}).`
  }
}

const NO_MAIL: Record<Extract<MailHosts, { kind: 'none' }>['reason'], string> = {
  domain_not_found: 'DNS says that the domain does not exist.',
  no_mail_server: 'The domain exists but names no host that takes mail.',
  null_mx: 'The domain declares that it takes no mail (RFC 7505).',
}

function describePolicy(what: string, presence: DomainFacts['spf']): string {
  if (presence === 'unasked') return `Whether the domain publishes ${what} was not asked.`
  if (presence === 'failed') return `Whether the domain publishes ${what} could not be found out.`
  return presence === 'found' ? `The domain publishes ${what}.` : `The domain does not publish ${what}.`
}

/** What the mail server said, in its own words without anybody's address, and whether it says the same to everyone. */
export function mailboxEvidence({
  finding,
  acceptAll,
  acceptAllSource,
  host,
  dialogue,
  at,
  ms,
}: MailboxAnswer): Evidence[] {
  const asked = dialogue.filter(({ stage }) => stage !== 'control')
  const outcome = finding.kind === 'refused' ? finding.reason : 'why' in finding ? finding.why : finding.kind
  const detail = [host === null ? '' : `Asked ${host}.`, ...asked.map(quote), asked.length > 0 ? '' : describe(finding)]
  const recipient = { ...item('recipient', outcome, detail.filter(Boolean).join(' '), ms), at }
  if (finding.kind !== 'accepted' && acceptAll === 'untested') return [recipient]

  const control = dialogue.find(({ stage }) => stage === 'control')
  const said = [ACCEPT_ALL[acceptAll], control ? quote(control) : '', acceptAllSource === 'provider' ? BY_PROVIDER : '']
  const source = acceptAllSource === 'cache' ? 'cache' : 'live'
  return [recipient, { ...item('catch_all', acceptAll, said.filter(Boolean).join(' '), 0), at, source }]
}

function quote({ stage, code, enhanced, text }: Said): string {
  return `${STAGES[stage]}: “${[code, enhanced, text].filter(Boolean).join(' ')}”.`
}

const STAGES: Record<Said['stage'], string> = {
  greeting: 'Greeting',
  ehlo: 'EHLO',
  starttls: 'STARTTLS',
  mail: 'MAIL FROM',
  rcpt: 'RCPT TO',
  control: 'RCPT TO (an address that cannot exist)',
}

const ACCEPT_ALL: Record<MailboxAnswer['acceptAll'], string> = {
  yes: 'The domain accepts every address.',
  no: 'The domain does not accept every address.',
  untested: 'Whether the domain accepts every address could not be tested.',
}

const BY_PROVIDER = 'Its provider is known to answer truthfully for it.'

function describe(finding: Finding): string {
  if (finding.kind === 'unanswered') return NOT_ANSWERED[finding.why]
  return finding.kind === 'unasked' ? NOT_ASKED[finding.why] : ''
}

const NOT_ANSWERED: Record<Extract<Finding, { kind: 'unanswered' }>['why'], string> = {
  connection_failed: 'No mail host could be connected to.',
  not_routable: 'The mail hosts have addresses that the public internet cannot reach.',
  dns_failed: 'The address of the mail host could not be looked up.',
  timeout: 'No answer came in time.',
  dropped: 'The server closed the connection before it answered.',
  garbled: 'The server did not keep to the protocol.',
  held: 'We have asked this provider as much as it bears for now.',
}

const NOT_ASKED: Record<Unasked, string> = {
  provider_unverifiable: 'This provider accepts every recipient and decides later, so it was not asked.',
  accepts_all: 'The domain was seen to accept every address, so it was not asked again.',
  smtputf8_unsupported: 'The address needs SMTPUTF8 and the server does not offer it.',
  unsayable: 'The address cannot be put to a mail server without risk of being misread.',
  no_way_out:
    'This installation cannot reach mail servers at present, so nobody was asked. That says nothing about the mailbox.',
  opted_out: 'The owner of the domain asked not to be probed, so no mail server was contacted.',
}
