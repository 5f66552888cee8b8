import { EVIDENCE_CHECKS } from '@probity/contract/constants/data/evidence-checks'
import {
  type Evidence,
  type EvidenceCheck,
  type EvidenceOutcome,
  evidenceItem,
  type SubStatus,
} from '@probity/contract/constants/validations'
import { MALFORMED_REASONS } from '../address/data/malformed-reasons.ts'
import type { Address, Malformed } from '../address/parse.ts'
import type { Plausibility } from '../address/plausibility.ts'
import type { DomainClass } from '../domain/domain-lists.ts'
import type { DomainFacts } from '../domain/facts.ts'
import type { MailHosts } from '../domain/mail-hosts.ts'
import type { Finding, ProbeResult } from '../smtp/probe/result.ts'
import type { TranscriptEntry } from '../smtp/replies/reply-text.ts'
import type { Verdict } from './conclude.ts'
import type { History, Term } from './deliverability.ts'

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
        ? describeHosts(mail.hosts)
        : 'The domain has no MX record and is its own mail server (RFC 5321, section 5.1).'
    case 'none':
      return NO_MAIL[mail.reason]
    case 'unroutable':
      return 'The mail servers of the domain are not on the public internet.'
    case 'unknown':
      return `DNS returned no usable response (${mail.failure}).`
  }
}

function describeHosts([first, ...others]: Extract<MailHosts, { kind: 'hosts' }>['hosts']): string {
  if (others.length === 0) return `The domain has one mail server: ${first?.name}.`
  return `The domain has ${others.length + 1} mail servers. The most preferred is ${first?.name}.`
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

/** The result of the probe with the mail server's replies, without email addresses, and the result of the catch-all test. */
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
  const replies = transcript.filter(({ stage }) => !TEST_STAGES.includes(stage))
  const detail = [
    host === null ? '' : `Host: ${host}.`,
    ...replies.map(quote),
    replies.length > 0 ? '' : describe(finding),
  ]
  const recipient = {
    ...evidenceItem('recipient', recipientOutcome(finding), detail.filter(Boolean).join(' '), ms),
    checked_at,
  }
  const tests = transcript.filter(({ stage }) => TEST_STAGES.includes(stage))
  if (finding.kind !== 'accepted' && acceptAll === 'untested' && tests.length === 0) return [recipient]

  const parts = [CATCH_ALL_DETAILS[acceptAll], ...tests.map(quote), acceptAllSource === 'provider' ? BY_PROVIDER : '']
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
  repeated: 'RCPT TO (accepted recipient, repeated)',
}

/** The replies of the catch-all test. They are not about this address. */
const TEST_STAGES: TranscriptEntry['stage'][] = ['control', 'repeated']

const CATCH_ALL_OUTCOMES: Record<ProbeResult['acceptAll'], EvidenceOutcome<'catch_all'>> = {
  yes: 'detected',
  no: 'not_detected',
  untested: 'not_tested',
}

const CATCH_ALL_DETAILS: Record<ProbeResult['acceptAll'], string> = {
  yes: 'The mail server accepts every recipient.',
  no: 'The mail server does not accept every recipient.',
  untested: 'Whether the mail server accepts every recipient could not be tested.',
}

const BY_PROVIDER = 'The provider is known to reject unknown recipients.'

/** For findings without a reply to this address. */
function describe(finding: Finding): string {
  if (finding.kind === 'unanswered' || finding.kind === 'unasked') {
    return EVIDENCE_CHECKS.recipient.outcomes[finding.why]
  }
  return finding.kind === 'refused' && finding.code === 0 ? NOT_SENT : ''
}

const NOT_SENT = 'The address was not sent, because the server had rejected another command for this reason.'

/** From this absolute value of log-odds on, a finding counts as positive or negative. */
const WEIGHT_MIN = 0.05

/**
 * The evidence with the weight of each finding. The base rate belongs to the finding that selected it; other weights have their own
 * items. The sum of all `log_odds` is the log-odds of `deliverability`.
 */
export function explain(evidence: Evidence[], verdict: Verdict, history: History): Evidence[] {
  const { plausibility, estimate } = verdict
  const { terms, isFallback } = estimate
  const worth = (kind: Term['kind']) => terms.find((term) => term.kind === kind)?.logOdds
  const decisive = decisiveItem(evidence, verdict.subStatus)
  const explained = evidence.map((item) => (item === decisive ? { ...item, log_odds: worth('base') ?? 0 } : item))
  if (isFallback) return [...explained, evidenceItem('model', 'fallback', FALLBACK)]

  const { delivered, bounced } = history.domain
  const [byHistory, byText, byPattern] = [worth('history'), worth('text'), worth('pattern')]
  if (byHistory !== undefined && delivered + bounced > 0) {
    explained.push({
      ...evidenceItem('domain_history', direction(byHistory), describeHistory(history)),
      log_odds: byHistory,
    })
  }
  if (byText !== undefined && plausibility !== undefined) {
    explained.push({ ...describeText(plausibility, byText), log_odds: byText })
  } else if (verdict.isMachineGenerated) explained.push(evidenceItem('address_text', 'machine_like', LIKE_A_MACHINE))
  if (byPattern !== undefined && byPattern !== 0) {
    explained.push({
      ...evidenceItem('address_pattern', direction(byPattern), describePattern(byPattern)),
      log_odds: byPattern,
    })
  }
  return explained
}

/** The check whose finding decides the verdict, by reason; `recipient` for all others. */
const DECIDES: Partial<Record<SubStatus, EvidenceCheck>> = {
  syntax_error: 'syntax',
  address_literal: 'syntax',
  domain_not_found: 'mx',
  no_mail_server: 'mx',
  null_mx: 'mx',
  dns_failed: 'mx',
  not_routable: 'mx',
  not_probed: 'mx',
  disposable: 'domain_class',
  catch_all: 'catch_all',
}

function decisiveItem(evidence: Evidence[], subStatus: SubStatus): Evidence | undefined {
  const wanted = DECIDES[subStatus] ?? 'recipient'
  return evidence.find(({ check }) => check === wanted) ?? evidence.at(-1)
}

const FALLBACK =
  'The estimates of the model for this provider differed too much from reported deliveries and bounces, so only the base rate counts.'

function direction(logOdds: number): EvidenceOutcome<'domain_history' | 'address_pattern'> {
  if (Math.abs(logOdds) < WEIGHT_MIN) return 'neutral'
  return logOdds > 0 ? 'positive' : 'negative'
}

/** Outcomes lose weight with age, so a count may be a fraction. */
function describeHistory({ domain: { delivered, bounced } }: History): string {
  const count = (value: number) => (value > 0 && value < 1 ? 'less than one' : String(Math.round(value)))
  return `Reports for this domain, weighted by age: ${count(delivered)} delivered, ${count(bounced)} bounced.`
}

const LIKE_A_MACHINE = 'The text looks auto-generated or typed at random.'

function describeText(plausibility: Plausibility, logOdds: number): Evidence {
  if (plausibility.kind === 'abstained') return evidenceItem('address_text', 'abstained', ABSTAINED[plausibility.why])
  const worth = direction(logOdds)
  if (worth === 'positive') return evidenceItem('address_text', 'human_like', 'The text looks as if a person chose it.')
  if (worth === 'negative') return evidenceItem('address_text', 'machine_like', LIKE_A_MACHINE)
  return evidenceItem('address_text', 'neutral', 'The text says little either way.')
}

const ABSTAINED: Record<Extract<Plausibility, { kind: 'abstained' }>['why'], string> = {
  not_ascii: 'The text was not weighed: the model knows the Latin alphabet only.',
  all_digits: 'The text was not weighed: it is a number.',
  too_short: 'The text was not weighed: it is too short.',
  id_like: 'The text was not weighed: it looks like an assigned id.',
}

function describePattern(logOdds: number): string {
  return logOdds > 0
    ? 'The pattern matches other addresses at this domain that received mail.'
    : 'The pattern differs from most addresses at this domain that received mail.'
}
