import { expect, test } from 'vitest'
import type { ConnectFailure } from '../connections/open-connection.ts'
import type { DomainProfile, HostProfile } from '../connections/probe-cache.ts'
import { NO_CAPABILITIES } from '../protocol/handshake.ts'
import type { Reply } from '../protocol/reply-reader.ts'
import { PROVIDER_LIMITS } from '../providers/data/limits.ts'
import type { Exchange } from './conversation.ts'
import { applyConnectFailure, applyExchange, applyThrottle } from './outcome.ts'
import type { Recipient } from './request.ts'
import { finishProbe, nextRecipients, type ProbeState, recordNoResponse, startProbe } from './state.ts'

const EGRESS = { name: 'egress', heloName: 'probe.probity.example', mailFrom: 'bounce@probity.example' }
const TIME = { unixS: 1_700_000_000, elapsedMs: 250, isLate: false }
const CONTEXT = { egress: EGRESS, providerLimits: PROVIDER_LIMITS, time: TIME }
const GREETING = { stage: 'greeting', code: 220, enhanced: null, text: 'mx1.a.example ESMTP' } as const
const CONNECTION = {
  host: 'mx1.a.example',
  greeting: GREETING,
  secure: false,
  capabilities: NO_CAPABILITIES,
  rejected: 1,
  recipientsMax: Number.POSITIVE_INFINITY,
  windowSize: 1,
}

const [ADA, BOB]: [Recipient, Recipient] = [
  { path: 'ada@a.example', needsUtf8: false },
  { path: 'bob@a.example', needsUtf8: false },
]

type Start = { recipients?: Recipient[]; hosts?: string[]; known?: DomainProfile }

function start({ recipients = [ADA, BOB], hosts = ['mx1.a.example'], known = {} }: Start = {}): ProbeState {
  const site = {
    key: hosts.join(','),
    provider: '',
    hosts: hosts.map((name) => ({ name, preference: 10 })),
    limits: PROVIDER_LIMITS[''],
  }
  return startProbe({ domain: 'a.example', site, recipients, known, isReachable: true }, TIME)
}

/** The text of a reply line, e.g. `550 5.1.1 User unknown`. */
function reply(line: string): Reply {
  const [, code = '', enhanced] = /^(\d{3})(?: (\d\.\d\.\d))?/.exec(line) ?? []
  return { code: Number(code), enhanced: enhanced ?? null, lines: [line.slice(4)] }
}

type Received = { disconnect?: Exchange['disconnect']; mailRejection?: string; known?: HostProfile; position?: number }

/** Applies replies to the next recipients of a state, in their order. */
function receive(state: ProbeState, lines: string[], more: Received & { connection?: object } = {}) {
  const { disconnect = null, mailRejection, known = {}, position = 0 } = more
  const recipients = nextRecipients(state, 10)
  const replies = lines.map((line, n) => ({
    recipient: recipients[n] as Recipient,
    reply: reply(line),
    position: position + n,
  }))
  const exchange = { replies, disconnect, mailRejection: mailRejection === undefined ? null : reply(mailRejection) }
  return applyExchange(state, exchange, { ...CONTEXT, connection: { ...CONNECTION, ...more.connection }, known })
}

function findings(state: ProbeState) {
  return finishProbe(state, TIME).results.map(({ finding }) => finding)
}

function kinds(outcome: ReturnType<typeof receive>) {
  return outcome.effects.map(({ kind }) => kind)
}

test('an accepted recipient has the reply as evidence and leaves the connection reusable with a larger window', () => {
  const outcome = receive(start({ recipients: [ADA] }), ['250 2.1.5 Ok'])
  expect(outcome).toMatchObject({ connection: 'reusable', changes: { windowSize: 3 } })
  expect(outcome.effects).toEqual([
    { kind: 'record_reply', reply: { provider: '', stage: 'rcpt', code: 250, enhanced: '2.1.5' } },
    { kind: 'learn_host', host: 'mx1.a.example', profile: { stride: 3 }, when: 'later' },
  ])
  const [result] = finishProbe(outcome.state, TIME).results
  expect(result).toMatchObject({
    finding: { kind: 'accepted', code: 250 },
    host: 'mx1.a.example',
    transcript: [GREETING, { stage: 'rcpt', code: 250, enhanced: '2.1.5' }],
    at: TIME.unixS,
    ms: TIME.elapsedMs,
  })
})

test.each([
  ['251 User not local; will forward', { kind: 'accepted', code: 251 }],
  ['252 2.1.5 Cannot verify', { kind: 'unverifiable', code: 252 }],
  ['299 Hello', { kind: 'refused', code: 299, reason: 'server_error' }],
])('a reply "%s" is not taken for a plain acceptance', (line, finding) => {
  expect(findings(receive(start({ recipients: [ADA] }), [line]).state)).toEqual([finding])
})

test('a rejected recipient proves that the domain is not a catch-all, so that no control recipient is sent', () => {
  const { state, connection } = receive(start(), ['250 Ok', '550 5.1.1 User unknown'])
  expect(connection).toBe('reusable')
  expect(nextRecipients(state, 10)).toEqual([])
  const { results, learned } = finishProbe(state, TIME)
  expect(results.map(({ finding, acceptAll }) => [finding.kind, acceptAll])).toEqual([
    ['accepted', 'no'],
    ['refused', 'no'],
  ])
  expect(learned).toEqual({ acceptAll: { value: 'no', evidence: 'real_reject', at: TIME.unixS } })
})

test('greylisting defers the recipient by the time that the server names, and leaves the others open', () => {
  const { state, connection } = receive(start(), ['450 4.2.0 Greylisted, try again in 120 seconds'])
  expect(connection).toBe('reusable')
  expect(nextRecipients(state, 10)).toEqual([BOB])
  expect(finishProbe(state, TIME).results[0]).toMatchObject({
    finding: { kind: 'refused', code: 450, reason: 'greylisted' },
    retry: { afterMs: 120_000 },
  })
})

test('a temporary rejection without a known reason is deferred by the retry schedule', () => {
  const { state } = receive(start({ recipients: [ADA] }), ['451 4.3.0 Temporary failure'])
  expect(finishProbe(state, TIME).results[0]).toMatchObject({ finding: { kind: 'refused' }, retry: { afterMs: null } })
})

test('a rate-limited reply slows the site down, suspends it and is the result of all open recipients', () => {
  const outcome = receive(start(), ['450 4.7.1 Too many connections, rate limit exceeded'])
  expect(outcome.connection).toBe('closed')
  expect(kinds(outcome)).toEqual(['record_reply', 'slow_down', 'suspend', 'learn_host'])
  expect(findings(outcome.state)).toEqual([
    { kind: 'refused', code: 450, reason: 'rate_limited' },
    { kind: 'refused', code: 0, reason: 'rate_limited' },
  ])
})

test('a reply that blocks us suspends the site by its limits and leaves no recipient open', () => {
  const outcome = receive(start(), ['550 5.7.1 Your IP address is blocked'])
  expect(outcome.effects).toContainEqual({
    kind: 'suspend',
    target: { egress: 'egress', site: 'mx1.a.example', limits: PROVIDER_LIMITS[''] },
    reason: 'ip_blocked',
    forMs: 2 * 3_600_000,
  })
  expect(outcome.effects).toContainEqual({
    kind: 'learn_host',
    host: 'mx1.a.example',
    profile: { lastBlock: { at: TIME.unixS, reason: 'ip_blocked' } },
    when: 'now',
  })
  expect(outcome.connection).toBe('closed')
  expect(nextRecipients(outcome.state, 10)).toEqual([])
})

test('a reply of a provider host suspends the provider, whatever site the domain is', () => {
  const connection = { host: 'gmail-smtp-in.l.google.com' }
  const outcome = receive(
    start({ hosts: [connection.host, 'mx1.a.example'] }),
    ['550 5.7.1 Your IP address is blocked'],
    {
      connection,
    },
  )
  expect(outcome.effects).toContainEqual(
    expect.objectContaining({ kind: 'suspend', target: expect.objectContaining({ site: 'google' }) }),
  )
})

test('a domain is not hosted only after all of its hosts have replied so', () => {
  const line = '550 5.1.2 We do not host this domain, relay not permitted'
  const first = receive(start({ hosts: ['mx1.a.example', 'mx2.a.example'] }), [line])
  expect(first.connection).toBe('closed')
  expect([...first.state.excludedHosts]).toEqual(['mx1.a.example'])
  expect(nextRecipients(first.state, 10)).toEqual([ADA, BOB])

  const second = receive(first.state, [line], { connection: { host: 'mx2.a.example' } })
  expect(findings(second.state)).toEqual([
    { kind: 'refused', code: 550, reason: 'domain_not_hosted' },
    { kind: 'refused', code: 0, reason: 'domain_not_hosted' },
  ])
})

test('a domain that one of two hosts does not host is a server error when the other one did not respond', () => {
  const silent = recordNoResponse(start({ hosts: ['mx1.a.example', 'mx2.a.example'] }), 'mx2.a.example')
  const { state } = receive(silent, ['550 5.1.2 We do not host this domain, relay not permitted'])
  expect(findings(state)).toEqual([
    { kind: 'refused', code: 550, reason: 'server_error' },
    { kind: 'refused', code: 0, reason: 'server_error' },
  ])
})

const accepted = () => receive(start({ recipients: [ADA] }), ['250 Ok']).state

test('the control recipient is sent when all recipients were accepted, and not when none of them needs it', () => {
  const state = accepted()
  expect(nextRecipients(state, 10)).toEqual([state.controlRecipient])
  const skipping = receive(start({ recipients: [{ ...ADA, skipsControl: true }] }), ['250 Ok'])
  expect(nextRecipients(skipping.state, 10)).toEqual([])
  expect(finishProbe(skipping.state, TIME).results[0]).toMatchObject({
    acceptAll: 'untested',
    untestedFor: 'not_wanted',
  })
})

test('an accepted control recipient shows a catch-all', () => {
  const { results, learned } = finishProbe(receive(accepted(), ['250 Ok']).state, TIME)
  expect(results[0]).toMatchObject({
    acceptAll: 'yes',
    acceptAllSource: 'live',
    transcript: [{}, {}, { stage: 'control' }],
  })
  expect(learned).toEqual({ acceptAll: { value: 'yes', evidence: 'control', at: TIME.unixS } })
})

test.each(['550 5.1.1 User unknown', '554 5.0.0 Go and see a doctor'])(
  'a control recipient that is rejected with "%s" shows that the domain is not a catch-all',
  (line) => {
    const { results, learned } = finishProbe(receive(accepted(), [line]).state, TIME)
    expect(results[0]).toMatchObject({ finding: { kind: 'accepted' }, acceptAll: 'no' })
    expect(learned).toMatchObject({ acceptAll: { value: 'no', evidence: 'control' }, refusal: expect.any(String) })
  },
)

test('a deferred control recipient leaves the catch-all test without a result, and a retry makes sense', () => {
  const { state, connection } = receive(accepted(), ['450 4.2.0 Greylisted, try again in 60 seconds'])
  expect(connection).toBe('reusable')
  const { results, learned } = finishProbe(state, TIME)
  expect(results[0]).toMatchObject({ acceptAll: 'untested', untestedFor: 'greylisted', retry: { afterMs: 60_000 } })
  expect(learned).toBeNull()
})

test('a control recipient that is rejected because of us suspends the site and shows nothing about the domain', () => {
  const outcome = receive(accepted(), ['550 5.7.1 Your IP address is blocked'])
  expect(outcome.connection).toBe('closed')
  expect(kinds(outcome)).toEqual(['record_reply', 'suspend', 'learn_host'])
  expect(finishProbe(outcome.state, TIME).results[0]).toMatchObject({
    acceptAll: 'untested',
    untestedFor: 'ip_blocked',
  })
})

test('an accepted recipient whose control recipient was not sent before the deadline is untested', () => {
  const { results } = finishProbe(accepted(), { ...TIME, isLate: true })
  expect(results[0]).toMatchObject({ acceptAll: 'untested', untestedFor: 'timeout', retry: { afterMs: null } })
})

test('a reply without a rule is recorded, and means an unknown mailbox if the control recipient was rejected with the same text', () => {
  const line = '550 5.0.0 Go and see a doctor'
  const outcome = receive(start({ recipients: [ADA] }), [line])
  expect(kinds(outcome)).toContain('record_unclassified')
  expect(findings(outcome.state)).toMatchObject([{ reason: 'unclassified' }])

  const known = { refusal: '550 5.0.0 5.0.0 go and see a doctor' }
  const later = receive(start({ recipients: [ADA], known }), [line])
  expect(kinds(later)).not.toContain('record_unclassified')
  expect(findings(later.state)).toMatchObject([{ reason: 'mailbox_not_found' }])
})

test('recipients that did not fit into a transaction stay open and are sent in the next one', () => {
  const outcome = receive(start(), ['250 Ok', '452 4.5.3 Too many recipients'])
  expect(outcome).toMatchObject({ connection: 'reusable', changes: { transaction: null, recipientsMax: 1 } })
  expect(nextRecipients(outcome.state, 10)).toEqual([BOB])
  expect(outcome.effects).toContainEqual({
    kind: 'learn_host',
    host: 'mx1.a.example',
    profile: { recipientsMax: 1 },
    when: 'later',
  })
})

test('a first recipient that is one too many is deferred', () => {
  const { state, changes } = receive(start({ recipients: [ADA] }), ['452 4.5.3 Too many recipients'])
  expect(changes).toMatchObject({ transaction: null })
  expect(finishProbe(state, TIME).results[0]).toMatchObject({
    finding: { reason: 'too_many_recipients' },
    retry: { afterMs: null },
  })
})

test('a server that closes after a rejection has reached its error limit, which the next connection keeps', () => {
  const outcome = receive(start(), ['550 5.1.1 User unknown'], {
    disconnect: { kind: 'disconnect', why: 'closed' },
    connection: { rejected: 4 },
  })
  expect(outcome.connection).toBe('closed')
  expect(outcome.effects.at(-1)).toEqual({
    kind: 'learn_host',
    host: 'mx1.a.example',
    profile: { errorsMax: 4, stride: 1 },
    when: 'now',
  })
  expect(nextRecipients(outcome.state, 10)).toEqual([BOB])
  expect(finishProbe(outcome.state, TIME).results[1]).toMatchObject({
    finding: { kind: 'unanswered', why: 'connection_closed' },
    retry: { afterMs: null },
  })
})

test('recipients of a server that demands TLS stay open for the next connection, which uses it', () => {
  const connection = { capabilities: { ...NO_CAPABILITIES, starttls: true } }
  const outcome = receive(start(), ['530 5.7.0 Must issue a STARTTLS command first'], { connection })
  expect(outcome.connection).toBe('closed')
  expect(nextRecipients(outcome.state, 10)).toEqual([ADA, BOB])
  expect(outcome.effects.at(-1)).toMatchObject({ profile: { tlsDemanded: true }, when: 'now' })
})

test('a rejected MAIL is the result of recipients that stay open, and TLS is tried once', () => {
  const line = '530 5.7.0 Must issue a STARTTLS command first'
  const first = receive(start(), [], { mailRejection: line })
  expect(first).toMatchObject({ connection: 'closed', state: { failure: undefined } })
  const second = receive(start(), [], { mailRejection: line, known: { tlsDemanded: true } })
  expect(findings(second.state)).toMatchObject([
    { reason: 'tls_required', code: 0 },
    { reason: 'tls_required', code: 0 },
  ])
})

test('a host without a reply is excluded if there is another, and recipients without a reply have no verdict', () => {
  const two = start({ hosts: ['mx1.a.example', 'mx2.a.example'] })
  const lost = receive(two, [], { disconnect: { kind: 'disconnect', why: 'timeout' } })
  expect(lost.connection).toBe('closed')
  const silent = recordNoResponse(lost.state, 'mx1.a.example')
  expect([...silent.excludedHosts]).toEqual(['mx1.a.example'])
  expect([...recordNoResponse(silent, 'mx2.a.example').excludedHosts]).toEqual(['mx1.a.example'])
  expect(findings(silent)).toEqual([1, 2].map(() => ({ kind: 'unanswered', why: 'timeout' })))
  expect(finishProbe(silent, TIME).results[0]?.retry).toBeUndefined()
})

test('the first connect failure is the result of all recipients, unless a server rejected the session', () => {
  const refused: ConnectFailure = { kind: 'not_connected', host: 'mx1.a.example', failure: 'refused' }
  const timeout: ConnectFailure = { kind: 'not_connected', host: 'mx2.a.example', failure: 'timeout' }
  const busy: ConnectFailure = {
    kind: 'rejected',
    host: 'mx2.a.example',
    stage: 'greeting',
    reply: reply('421 4.3.2 Service shutting down'),
  }
  const apply = (...failures: ConnectFailure[]) =>
    failures.reduce((state, failure) => applyConnectFailure(state, failure, { ...CONTEXT, known: {} }).state, start())
  expect(findings(apply(refused, timeout))).toMatchObject([{ why: 'connection_failed' }, { why: 'connection_failed' }])
  expect(findings(apply(refused, busy))).toMatchObject([
    { kind: 'refused', code: 0 },
    { kind: 'refused', code: 0 },
  ])
})

test('throttled recipients are retried when the rate limiter allows it', () => {
  const throttle = { kind: 'throttle', why: 'rate', retryAfterMs: 1_500, of: 'site' } as const
  const { results } = finishProbe(applyThrottle(start(), throttle, TIME), TIME)
  expect(results.map(({ finding, retry }) => [finding, retry])).toEqual(
    [1, 2].map(() => [{ kind: 'unanswered', why: 'throttled' }, { afterMs: 1_500 }]),
  )
})
