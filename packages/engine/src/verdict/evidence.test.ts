import { EVIDENCE_CHECKS } from '@probity/contract/constants/data/evidence-checks'
import type { Evidence } from '@probity/contract/constants/validations'
import { expect, test } from 'vitest'
import { MALFORMED_REASONS } from '../address/data/malformed-reasons.ts'
import { parseAddress } from '../address/parse.ts'
import { FAILURES } from '../domain/data/dns-failures.ts'
import type { DomainFacts } from '../domain/facts.ts'
import type { Finding, ProbeResult } from '../smtp/probe/result.ts'
import type { Reason } from '../smtp/replies/rules.ts'
import { classEvidence, domainEvidence, mailboxEvidence, syntaxEvidence } from './evidence.ts'

const CHECKS: Record<string, { outcomes: Record<string, string> }> = EVIDENCE_CHECKS

function expectInTable(evidence: Evidence[]): void {
  for (const { check, outcome, checked_at } of evidence) {
    expect(Object.keys(CHECKS[check]?.outcomes ?? {})).toContain(outcome)
    expect(new Date(checked_at).toISOString()).toBe(checked_at)
  }
}

const ANSWER: ProbeResult = {
  finding: { kind: 'accepted', code: 250 },
  acceptAll: 'untested',
  acceptAllSource: 'live',
  host: null,
  transcript: [],
  at: 1_793_620_800,
  ms: 1,
}

const REASONS: Record<Reason, true> = {
  mailbox_not_found: true,
  mailbox_disabled: true,
  mailbox_full: true,
  mailbox_moved: true,
  mailbox_busy: true,
  policy_rejected: true,
  domain_not_hosted: true,
  greylisted: true,
  verification_pending: true,
  rate_limited: true,
  too_many_recipients: true,
  too_many_errors: true,
  ip_blocked: true,
  ptr_required: true,
  sender_rejected: true,
  spf_required: true,
  tls_required: true,
  geo_blocked: true,
  smtputf8_unsupported: true,
  server_error: true,
  unclassified: true,
}

const FINDINGS: Finding[] = [
  { kind: 'accepted', code: 250 },
  { kind: 'unverifiable', code: 252 },
  ...(Object.keys(REASONS) as Reason[]).map((reason) => ({ kind: 'refused', code: 550, reason }) as const),
  ...(['connection_failed', 'not_routable', 'dns_failed', 'timeout', 'connection_closed'] as const).map(
    (why) => ({ kind: 'unanswered', why }) as const,
  ),
  { kind: 'unanswered', why: 'protocol_error' },
  { kind: 'unanswered', why: 'throttled' },
  { kind: 'unanswered', why: 'unconfirmed_rejection' },
  ...(['provider_unverifiable', 'known_catch_all', 'smtputf8_unsupported', 'unencodable', 'no_egress'] as const).map(
    (why) => ({ kind: 'unasked', why }) as const,
  ),
  { kind: 'unasked', why: 'opted_out' },
  { kind: 'unasked', why: 'domain_limit' },
]

test('every result of a probe and of the catch-all test is in the table of outcomes, and the table has no others', () => {
  const outcomes = new Set<string>()
  for (const finding of FINDINGS) {
    const evidence = mailboxEvidence({ ...ANSWER, finding })
    expectInTable(evidence)
    outcomes.add(evidence[0]?.outcome ?? '')
  }
  expect(outcomes).toEqual(new Set(Object.keys(EVIDENCE_CHECKS.recipient.outcomes)))
  const tested = (['yes', 'no', 'untested'] as const).map((acceptAll) => mailboxEvidence({ ...ANSWER, acceptAll })[1])
  expect(tested.map((item) => item?.outcome)).toEqual(['detected', 'not_detected', 'not_tested'])
})

test('every fault of syntax is in the table of outcomes', () => {
  const faults = Object.keys(MALFORMED_REASONS).map((reason) => {
    return syntaxEvidence({ kind: 'malformed', reason: reason as keyof typeof MALFORMED_REASONS, at: 0 }, 0.1)
  })
  expectInTable([syntaxEvidence(parseAddress('ada@example.com'), 0.1), ...faults])
  expect(faults.length + 1).toBe(Object.keys(EVIDENCE_CHECKS.syntax.outcomes).length)
})

test('every finding of DNS is in the table of outcomes, with the time of the query', () => {
  const failures = [...new Set(Object.values(FAILURES)), 'unresolved_alias', 'inconsistent', 'other'] as const
  for (const failure of failures) {
    const facts: DomainFacts = {
      domain: 'example.com',
      mail: { kind: 'unknown', reason: 'dns_failed', failure },
      spf: 'failed',
      dmarc: 'absent',
      provider: '',
      asked: [
        { check: 'mx', outcome: failure, at: 1_793_620_800, ms: 2 },
        { check: 'spf', outcome: 'failed', at: 1_793_620_800, ms: 2 },
        { check: 'dmarc', outcome: 'absent', at: 1_793_620_800, ms: 2 },
      ],
    }
    const evidence = domainEvidence(facts, 'cache')
    expectInTable(evidence)
    expect(evidence.map(({ checked_at }) => checked_at)).toEqual(Array(3).fill('2026-11-02T12:00:00.000Z'))
  }
  const none = { isDisposable: false, isFree: false, isPrivacyRelay: false, disposableSources: [] }
  expectInTable([
    classEvidence(none),
    classEvidence({ ...none, isDisposable: true }),
    classEvidence({ ...none, isFree: true }),
    classEvidence({ ...none, isPrivacyRelay: true }),
  ])
})
