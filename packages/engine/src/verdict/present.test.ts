import { ValidationResult } from '@probity/contract/schemas/validations/single'
import { pendingResult } from '@probity/contract/schemas/validations/stored-result'
import Value from 'typebox/value'
import { expect, test } from 'vitest'
import { parseAddress } from '../address/parse.ts'
import type { DomainFacts } from '../domain/facts.ts'
import type { ProbeResult } from '../smtp/probe/result.ts'
import { conclude, DEFAULT_OPTIONS } from './conclude.ts'
import { classEvidence, domainEvidence, mailboxEvidence, syntaxEvidence } from './evidence.ts'
import { present } from './present.ts'

const FRESH = {
  id: '0198f2e3-58b6-7c21-9d4f-6a0b13e7c582',
  livemode: true,
  retry_at: null,
  reference: null,
  override: null,
  performance: { response_time_ms: 1 },
  metadata: { timestamp: 1, plan_tier: 'payg', features_used: { catchall_detection: false, ai_enhancement: false } },
}
const FACTS: DomainFacts = {
  domain: 'xn--bcher-kva.example',
  mail: { kind: 'hosts', source: 'mx', hosts: [{ name: 'mx.example.com', preference: 10 }] },
  spf: 'found',
  dmarc: 'failed',
  provider: 'google',
  asked: [{ check: 'mx', outcome: 'found', at: 1, ms: 2 }],
}
const CLASSES = { isDisposable: false, isFree: true, isPrivacyRelay: false, disposableSources: [] }

function presentOf(email: string) {
  const address = parseAddress(email)
  const verdict = conclude({ address, isRole: true, mail: FACTS.mail }, { provider: 'google' }, DEFAULT_OPTIONS)
  const evidence = [syntaxEvidence(address, 0.1), ...domainEvidence(FACTS, 'cache'), classEvidence(CLASSES)]
  return present({
    email,
    address,
    verdict,
    isRole: true,
    didYouMean: null,
    retry: null,
    facts: FACTS,
    classes: CLASSES,
    evidence,
  })
}

test('a result with the fields of a response matches the schema of the contract', () => {
  for (const result of [
    presentOf('Ada+x@Bücher.example'),
    presentOf('nonsense'),
    pendingResult('a@b.example', 'timeout'),
  ]) {
    expect([...Value.Errors(ValidationResult, { ...result, ...FRESH })]).toEqual([])
  }
})

test('present returns the address as submitted and the domain as queried', () => {
  const result = presentOf('Ada+x@Bücher.example')
  expect(result.email).toBe('Ada+x@Bücher.example')
  expect(result.details).toMatchObject({ domain: 'xn--bcher-kva.example', provider: 'google', dns_valid: true })
  expect(result.flags).toEqual({
    is_free: true,
    is_privacy_relay: false,
    is_tagged: true,
    is_machine_generated: false,
  })
})

test('present splits the address into its parts and lists the mail servers', () => {
  expect(presentOf('Ada+x@Bücher.example').details).toMatchObject({
    mx: [{ host: 'mx.example.com', preference: 10 }],
    canonical_email: 'ada+x@xn--bcher-kva.example',
    local_part: 'Ada+x',
    tag: 'x',
    domain_unicode: 'bücher.example',
  })
  expect(presentOf('nonsense').details).toMatchObject({
    canonical_email: null,
    local_part: null,
    tag: null,
    domain_unicode: null,
  })
})

test('present sets a boolean to true only if a finding proves it', () => {
  expect(presentOf('ada@bücher.example').depth).toBe('dns')
  expect(presentOf('ada@bücher.example').details).toMatchObject({ has_spf: true, has_dmarc: false, smtp_valid: false })
})

test('evidence is in the order of the checks, with its source', () => {
  const { evidence } = presentOf('ada@bücher.example')
  expect(evidence.map(({ check, source }) => [check, source])).toEqual([
    ['syntax', 'live'],
    ['mx', 'cache'],
    ['domain_class', 'live'],
  ])
})

const ANSWER: ProbeResult = {
  finding: { kind: 'accepted', code: 250 },
  acceptAll: 'yes',
  acceptAllSource: 'live',
  host: 'mx.example.com',
  transcript: [
    { stage: 'greeting', code: 220, enhanced: null, text: 'mx.example.com ESMTP' },
    { stage: 'rcpt', code: 250, enhanced: '2.1.5', text: 'Ok' },
    { stage: 'control', code: 250, enhanced: '2.1.5', text: 'Ok' },
  ],
  at: 1_793_620_800,
  ms: 12.5,
}

test.each<[string, Partial<ProbeResult>, object]>([
  ['accepted at a catch-all', {}, { smtp: [true, 250], catchall: { is_catchall: true, confidence: 0.98 } }],
  [
    'rejected',
    { finding: { kind: 'refused', code: 550, reason: 'mailbox_not_found' }, acceptAll: 'no' },
    { smtp: [false, 550], catchall: { is_catchall: false, confidence: 0.98 } },
  ],
  [
    'rejected before RCPT',
    { finding: { kind: 'refused', code: 0, reason: 'ip_blocked' }, acceptAll: 'untested' },
    { smtp: [false, 0], catchall: { is_catchall: false, confidence: null } },
  ],
  [
    'without a reply',
    { finding: { kind: 'unanswered', why: 'timeout' }, acceptAll: 'untested' },
    { smtp: [false, 0], catchall: { is_catchall: false, confidence: null } },
  ],
  [
    'not probed because of a known catch-all',
    { finding: { kind: 'unasked', why: 'known_catch_all' } },
    { smtp: [false, 0], catchall: { is_catchall: true, confidence: 0.98 } },
  ],
  [
    'not probed because no mail server can be reached',
    { finding: { kind: 'unasked', why: 'no_egress' }, acceptAll: 'untested' },
    { depth: 'dns', smtp: [false, 0], catchall: { is_catchall: false, confidence: null } },
  ],
])('the API fields of a recipient: %s', (_name, more, expected) => {
  const address = parseAddress('ada@example.com')
  const mailbox = { ...ANSWER, ...more }
  const verdict = conclude(
    { address, isRole: false, mail: FACTS.mail, mailbox },
    { provider: 'google' },
    DEFAULT_OPTIONS,
  )
  const { depth, details, catchall } = present({
    email: 'ada@example.com',
    address,
    verdict,
    isRole: false,
    didYouMean: null,
    retry: null,
    facts: FACTS,
    mailbox,
    evidence: [],
  })
  expect({ depth, smtp: [details.smtp_valid, details.smtp_code], catchall }).toEqual({ depth: 'smtp', ...expected })
})

test('evidence contains the mail host, the replies and the duration', () => {
  const [recipient, catchAll] = mailboxEvidence(ANSWER)
  expect(recipient).toMatchObject({ check: 'recipient', outcome: 'accepted', duration_ms: 12.5 })
  expect(recipient?.checked_at).toBe('2026-11-02T12:00:00.000Z')
  expect(recipient?.detail).toBe('Host: mx.example.com. Greeting: “220 mx.example.com ESMTP”. RCPT TO: “250 2.1.5 Ok”.')
  expect(catchAll).toMatchObject({ check: 'catch_all', outcome: 'detected', source: 'live' })
  expect(catchAll?.detail).toContain('RCPT TO (control recipient): “250 2.1.5 Ok”.')
})
