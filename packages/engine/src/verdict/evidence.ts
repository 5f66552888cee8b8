import { EVIDENCE_CHECKS } from '@probity/contract/constants/data/evidence-checks'
import type { Evidence } from '@probity/contract/constants/validations'
import { type EvidenceOutcome, evidenceItem } from '@probity/contract/constants/validations'
import { MALFORMED_REASONS } from '../address/data/malformed-reasons.ts'
import type { Address, Malformed } from '../address/parse.ts'
import type { DomainClass } from '../domain/domain-lists.ts'
import type { DomainFacts } from '../domain/facts.ts'
import type { MailHosts } from '../domain/mail-hosts.ts'
import type { Finding, ProbeResult } from '../smtp/probe/result.ts'
import type { TranscriptEntry } from '../smtp/replies/reply-text.ts'

/** The finding of the parser. */
export function syntaxEvidence(address: Address | Malformed, ms: number): Evidence {
  if (address.kind === 'address') return evidenceItem('syntax', 'passed', 'The address is well formed.', ms)
  return evidenceItem('syntax', address.reason, MALFORMED_REASONS[address.reason], ms)
}

/** The findings of DNS, in the order of the queries. */
export function domainEvidence({ mail, spf, dmarc, asked }: DomainFacts, source: 'live' | 'cache'): Evidence[] {
  const details = {
    mx: describeMail(mail),
    spf: describePolicy('an SPF record', spf),
    dmarc: describePolicy('a DMARC record', dmarc),
  }
  return asked.map((finding) => {
    const { check, ms, at } = finding
    const detail = details[check]
    const item =
      finding.check === 'mx'
        ? evidenceItem('mx', finding.outcome, detail, ms)
        : evidenceItem(finding.check, finding.outcome, detail, ms)
    return { ...item, source, checked_at: timeOf(at) }
  })
}

/** From Unix time in seconds. */
function timeOf(at: number): string {
  return new Date(at * 1_000).toISOString()
}

export function classEvidence({ isDisposable, isPrivacyRelay, isFree }: DomainClass): Evidence {
  if (isDisposable) return evidenceItem('domain_class', 'disposable', 'The domain provides disposable addresses.')
  if (isPrivacyRelay) {
    return evidenceItem('domain_class', 'privacy_relay', 'The domain forwards mail to mailboxes that it hides.')
  }
  if (isFree) return evidenceItem('domain_class', 'free', 'The domain belongs to a free mailbox provider.')
  return evidenceItem('domain_class', 'not_listed', 'The domain is in none of our domain lists.')
}

function describeMail(mail: MailHosts): string {
  switch (mail.kind) {
    case 'hosts':
      return mail.source === 'mx'
        ? `The domain has ${mail.hosts.length === 1 ? 'one mail server' : `${mail.hosts.length} mail servers`}, most preferred ${mail.hosts[0]?.name}.`
        : 'The domain has no MX record and is its own mail server (RFC 5321, section 5.1).'
    case 'none':
      return NO_MAIL[mail.reason]
    case 'unroutable':
      return 'The mail servers of the domain are not on the public internet.'
    case 'unknown':
      return `DNS returned no usable response (${mail.failure}).`
  }
}

const NO_MAIL: Record<Extract<MailHosts, { kind: 'none' }>['reason'], string> = {
  domain_not_found: 'The domain does not exist (NXDOMAIN).',
  no_mail_server: 'The domain exists but has no mail server.',
  null_mx: 'The domain declares that it does not accept mail (null MX, RFC 7505).',
}

function describePolicy(what: string, presence: DomainFacts['spf']): string {
  if (presence === 'unasked') return `The domain was not queried for ${what}.`
  if (presence === 'failed') return `The DNS query for ${what} failed.`
  return presence === 'found' ? `The domain publishes ${what}.` : `The domain does not publish ${what}.`
}

/** The result of the probe with the replies of the mail server, from which addresses are removed, and that of the catch-all test. */
export function mailboxEvidence({
  finding,
  acceptAll,
  acceptAllSource,
  host,
  transcript,
  at,
  ms,
}: ProbeResult): Evidence[] {
  const checked_at = timeOf(at)
  const replies = transcript.filter(({ stage }) => stage !== 'control')
  const detail = [
    host === null ? '' : `Host: ${host}.`,
    ...replies.map(quote),
    replies.length > 0 ? '' : describe(finding),
  ]
  const recipient = {
    ...evidenceItem('recipient', recipientOutcome(finding), detail.filter(Boolean).join(' '), ms),
    checked_at,
  }
  if (finding.kind !== 'accepted' && acceptAll === 'untested') return [recipient]

  const control = transcript.find(({ stage }) => stage === 'control')
  const parts = [
    CATCH_ALL_DETAILS[acceptAll],
    control ? quote(control) : '',
    acceptAllSource === 'provider' ? BY_PROVIDER : '',
  ]
  const source = acceptAllSource === 'cache' ? 'cache' : 'live'
  const tested = evidenceItem('catch_all', CATCH_ALL_OUTCOMES[acceptAll], parts.filter(Boolean).join(' '))
  return [recipient, { ...tested, checked_at, source }]
}

function recipientOutcome(finding: Finding): EvidenceOutcome<'recipient'> {
  switch (finding.kind) {
    case 'accepted':
    case 'unverifiable':
      return finding.kind
    case 'refused':
      return finding.reason
    case 'unanswered':
    case 'unasked':
      return finding.why
  }
}

function quote({ stage, code, enhanced, text }: TranscriptEntry): string {
  return `${STAGES[stage]}: “${[code, enhanced, text].filter(Boolean).join(' ')}”.`
}

const STAGES: Record<TranscriptEntry['stage'], string> = {
  greeting: 'Greeting',
  ehlo: 'EHLO',
  starttls: 'STARTTLS',
  mail: 'MAIL FROM',
  rcpt: 'RCPT TO',
  control: 'RCPT TO (control recipient)',
}

const CATCH_ALL_OUTCOMES: Record<ProbeResult['acceptAll'], EvidenceOutcome<'catch_all'>> = {
  yes: 'detected',
  no: 'not_detected',
  untested: 'not_tested',
}

const CATCH_ALL_DETAILS: Record<ProbeResult['acceptAll'], string> = {
  yes: 'The domain accepts every recipient.',
  no: 'The domain does not accept every recipient.',
  untested: 'Whether the domain accepts every recipient could not be tested.',
}

const BY_PROVIDER = 'The provider is known to reject unknown recipients.'

/** For findings without a reply. */
function describe(finding: Finding): string {
  const hasReply = finding.kind !== 'unanswered' && finding.kind !== 'unasked'
  return hasReply ? '' : EVIDENCE_CHECKS.recipient.outcomes[finding.why]
}
