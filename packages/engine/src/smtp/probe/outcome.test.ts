import { expect, test } from 'vitest'
import type { ConnectFailure } from '../connections/open-connection.ts'
import type { DomainProfile, HostProfile } from '../connections/probe-cache.ts'
import { NO_CAPABILITIES } from '../protocol/handshake.ts'
import type { Reply } from '../protocol/reply-reader.ts'
import { PROVIDER_LIMITS } from '../providers/data/limits.ts'
import type { Exchange } from './conversation.ts'
import { finishProbe } from './finish.ts'
import { findConfirmation, hostsToProbe, nextRecipients } from './next-recipients.ts'
import { applyConnectFailure, applyExchange, applyFailover, applyThrottle } from './outcome.ts'
import type { Recipient } from './request.ts'
import { startProbe } from './start.ts'
import { getHost, type ProbeState, recordNoResponse } from './state.ts'

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

const [MX1, MX2] = ['mx1.a.example', 'mx2.a.example']
const NO_SUCH_USER = '550 5.1.1 User unknown'
const TENANT_BLOCK =
  '550 5.7.513 Service unavailable, Client host blocked by a.example using Customer Block list (AS16012607)'
const NOT_HOSTED = '550 5.1.2 We do not host this domain, relay not permitted'

type Start = { recipients?: Recipient[]; hosts?: string[]; preferences?: number[]; known?: DomainProfile }

/** By default all hosts have the same preference. */
function start({ recipients = [ADA, BOB], hosts = [MX1], preferences = [], known = {} }: Start = {}): ProbeState {
  const site = {
    key: hosts.join(','),
    provider: '',
    hosts: hosts.map((name, n) => ({ name, preference: preferences[n] ?? 10 })),
    limits: PROVIDER_LIMITS[''],
  }
  return startProbe({ domain: 'a.example', site, recipients, known, isReachable: true }, TIME)
}

/** The text of a reply line, e.g. `550 5.1.1 User unknown`. */
function reply(line: string): Reply {
  const [, code = '', enhanced] = /^(\d{3})(?: (\d\.\d\.\d{1,3}))?/.exec(line) ?? []
  return { code: Number(code), enhanced: enhanced ?? null, lines: [line.slice(4)] }
}

type Received = {
  disconnect?: Exchange['disconnect']
  mailRejection?: string
  known?: HostProfile
  position?: number
  to?: Recipient[]
  connection?: Partial<typeof CONNECTION>
}

/** Applies replies to the next recipients of a state, or to those given, in their order. */
function receive(state: ProbeState, lines: string[], more: Received = {}) {
  const { disconnect = null, mailRejection, known = {}, position = 0 } = more
  const host = more.connection?.host ?? MX1
  const recipients = more.to ?? nextRecipients(state, host, 10)
  const replies = lines.map((line, n) => ({
    recipient: recipients[n] as Recipient,
    reply: reply(line),
    position: position + n,
  }))
  const exchange = { replies, disconnect, mailRejection: mailRejection === undefined ? null : reply(mailRejection) }
  const outcome = applyExchange(state, exchange, {
    ...CONTEXT,
    connection: { ...CONNECTION, ...more.connection },
    known,
  })
  return { ...outcome, state }
}

function findings(state: ProbeState) {
  return finishProbe(state, TIME).results.map(({ finding }) => finding)
}

function kinds(outcome: { effects: { kind: string }[] }) {
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

test('a rejected recipient proves nothing about others, so the control recipient is sent', () => {
  const { state, connection } = receive(start(), ['250 Ok', NO_SUCH_USER])
  expect(connection).toBe('reusable')
  expect(nextRecipients(state, MX1, 10)).toEqual([state.controls[0]])
  const { results, learned } = finishProbe(state, TIME)
  expect(results.map(({ finding, acceptAll }) => [finding.kind, acceptAll])).toEqual([
    ['accepted', 'untested'],
    ['refused', 'untested'],
  ])
  expect(learned).toBeNull()
})

test('greylisting defers the recipient by the time that the server names, and leaves the others open', () => {
  const { state, connection } = receive(start(), ['450 4.2.0 Greylisted, try again in 120 seconds'])
  expect(connection).toBe('reusable')
  expect(nextRecipients(state, MX1, 10)).toEqual([BOB])
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
  expect(nextRecipients(outcome.state, MX1, 10)).toEqual([])
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

test('a domain is not hosted only when each host has rejected two recipients so, and each address has its own reply', () => {
  const [CAT, DAN] = ['cat', 'dan'].map((name) => ({ path: `${name}@a.example`, needsUtf8: false })) as [
    Recipient,
    Recipient,
  ]
  const state = start({ recipients: [ADA, BOB, CAT, DAN], hosts: [MX1, MX2] })
  receive(state, [NOT_HOSTED, NOT_HOSTED])
  expect(hostsToProbe(state)).toEqual([MX2])
  receive(state, [NOT_HOSTED, NOT_HOSTED], { connection: { host: MX2 } })
  expect(nextRecipients(state, MX1, 10)).toEqual([CAT, DAN])
  receive(state, [NOT_HOSTED, NOT_HOSTED])
  expect(findings(state)).toEqual(Array(4).fill({ kind: 'refused', code: 550, reason: 'domain_not_hosted' }))
})

test('a single address gets the control recipient as the second one', () => {
  const state = start({ recipients: [ADA] })
  receive(state, [NOT_HOSTED])
  expect(nextRecipients(state, MX1, 10)).toEqual([state.controls[0]])
  receive(state, [NOT_HOSTED])
  expect(findings(state)).toEqual([{ kind: 'refused', code: 550, reason: 'domain_not_hosted' }])
})

test.each([
  ['before', [NOT_HOSTED, '250 Ok']],
  ['after', ['250 Ok', NOT_HOSTED]],
  ['before a rejection', [NOT_HOSTED, NO_SUCH_USER]],
])('a relay rejection %s an acceptance is a policy for one recipient', (_when, lines) => {
  const state = start()
  receive(state, lines)
  const rejected = findings(state)[lines.indexOf(NOT_HOSTED)]
  expect(rejected).toEqual({ kind: 'refused', code: 550, reason: 'policy_rejected' })
})

test('a domain that one of two hosts does not host is a server error when the other one did not respond', () => {
  const state = start({ hosts: [MX1, MX2] })
  recordNoResponse(state, MX2)
  receive(state, [NOT_HOSTED, NOT_HOSTED])
  expect(findings(state)).toEqual(Array(2).fill({ kind: 'refused', code: 550, reason: 'server_error' }))
})

const accepted = () => receive(start({ recipients: [ADA] }), ['250 Ok']).state

test('the control recipient is sent when all recipients were accepted, and not when none of them needs it', () => {
  const state = accepted()
  expect(nextRecipients(state, MX1, 10)).toEqual([state.controls[0]])
  const skipping = receive(start({ recipients: [{ ...ADA, skipsControl: true }] }), ['250 Ok'])
  expect(nextRecipients(skipping.state, MX1, 10)).toEqual([])
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
  expect(learned).toEqual({
    hosts: { [MX1]: { value: 'accepts', evidence: 'control', at: TIME.unixS, hasAccepted: true } },
  })
})

test('a control recipient that is rejected as unknown shows that the host knows its recipients', () => {
  const { results, learned } = finishProbe(receive(accepted(), [NO_SUCH_USER]).state, TIME)
  expect(results[0]).toMatchObject({ finding: { kind: 'accepted' }, acceptAll: 'no' })
  expect(learned).toMatchObject({
    hosts: { [MX1]: { value: 'rejects', evidence: 'control', refusal: expect.any(String) } },
  })
})

const DOCTOR = '554 5.0.0 Go and see a doctor'

test('a control recipient that is rejected in other words is followed by a second one and by an accepted recipient', () => {
  const state = accepted()
  receive(state, [DOCTOR])
  expect(nextRecipients(state, MX1, 10)).toEqual([state.controls[1]])
  receive(state, [DOCTOR])
  expect(nextRecipients(state, MX1, 10)).toEqual([ADA])
  expect(finishProbe(state, TIME).results[0]).toMatchObject({ acceptAll: 'untested' })

  const { connection } = receive(state, ['250 Ok'])
  const { results, learned } = finishProbe(state, TIME)
  expect(connection).toBe('reusable')
  expect(results[0]).toMatchObject({ acceptAll: 'no' })
  expect(results[0]?.transcript.map(({ stage }) => stage)).toEqual([
    'greeting',
    'rcpt',
    'control',
    'control',
    'repeated',
  ])
  expect(learned).toMatchObject({ hosts: { [MX1]: { value: 'rejects', evidence: 'repeated' } } })
})

test('a host that accepts the second control recipient filters names only, and is a catch-all', () => {
  const state = accepted()
  receive(state, [DOCTOR])
  expect(finishProbe(receive(state, ['250 Ok']).state, TIME).results[0]).toMatchObject({ acceptAll: 'yes' })
})

test('a host that rejects an accepted recipient has banned us: the test starts once more on another connection, then ends', () => {
  const state = accepted()
  for (const _ of [1, 2]) receive(state, [DOCTOR])
  const outcome = receive(state, [DOCTOR], { connection: { rejected: 3 } })
  expect(outcome.connection).toBe('closed')
  expect(outcome.effects.at(-1)).toMatchObject({ kind: 'learn_host', profile: { errorsMax: 1 } })
  expect(nextRecipients(state, MX1, 10)).toEqual([state.controls[0]])
  for (const _ of [1, 2, 3]) receive(state, [DOCTOR])
  expect(nextRecipients(state, MX1, 10)).toEqual([])
  const { results, learned } = finishProbe(state, TIME)
  expect(results[0]).toMatchObject({ acceptAll: 'untested', untestedFor: 'unclassified', retry: { afterMs: null } })
  expect(learned).toBeNull()
})

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

const REFUSAL = {
  value: 'rejects',
  evidence: 'repeated',
  at: TIME.unixS,
  refusal: '554 5.0.0 5.0.0 go and see a doctor',
} as const

test('a reply without a rule means an unknown mailbox if it is that of the control recipient and another one is accepted later', () => {
  const outcome = receive(start({ recipients: [ADA] }), [DOCTOR])
  expect(kinds(outcome)).toContain('record_unclassified')
  expect(findings(outcome.state)).toMatchObject([{ reason: 'unclassified' }])

  const known = { hosts: { [MX1]: REFUSAL } }
  const later = receive(start({ known }), [DOCTOR, '250 Ok'])
  expect(kinds(later)).not.toContain('record_unclassified')
  expect(findings(later.state)).toMatchObject([{ reason: 'mailbox_not_found' }, { kind: 'accepted' }])

  const earlier = receive(start({ known }), ['250 Ok', DOCTOR])
  expect(findings(earlier.state)).toMatchObject([{ kind: 'accepted' }, { reason: 'unclassified' }])
})

test('rejections without a rule after the last acceptance are checked with the accepted recipient', () => {
  const state = start({ known: { hosts: { [MX1]: REFUSAL } } })
  receive(state, ['250 Ok', DOCTOR])
  const repeated = findConfirmation(state, getHost(state, MX1))
  expect(repeated).toBe(ADA)
  receive(state, ['250 Ok'], { to: [ADA] })
  expect(findings(state)).toMatchObject([{ kind: 'accepted' }, { reason: 'mailbox_not_found' }])
})

test('a single rejection in the words of the control recipient is checked with the postmaster, whose rejection shows nothing', () => {
  const check = (line: string) => {
    const state = start({ recipients: [ADA], known: { hosts: { [MX1]: REFUSAL } } })
    receive(state, [DOCTOR])
    const postmaster = findConfirmation(state, getHost(state, MX1))
    expect(postmaster?.path).toBe('postmaster@a.example')
    receive(state, [line], { to: [postmaster as Recipient] })
    expect(findConfirmation(state, getHost(state, MX1))).toBeUndefined()
    return findings(state)
  }
  expect(check('250 Ok')).toMatchObject([{ reason: 'mailbox_not_found' }])
  expect(check(DOCTOR)).toMatchObject([{ reason: 'unclassified' }])
})

test('a long run of unknown mailboxes after acceptances is checked, and a rejected check makes it unknown', () => {
  const recipients = Array.from({ length: 14 }, (_, n) => ({ path: `r${n}@a.example`, needsUtf8: false }))
  const state = start({ recipients, known: { hosts: { [MX1]: REFUSAL } } })
  receive(state, [...Array(9).fill('250 Ok')])
  receive(state, [...Array(3).fill(NO_SUCH_USER)])
  expect(findConfirmation(state, getHost(state, MX1))).toBeUndefined()
  receive(state, [...Array(2).fill(NO_SUCH_USER)])
  const repeated = findConfirmation(state, getHost(state, MX1)) as Recipient
  expect(repeated).toBe(recipients[8])
  const outcome = receive(state, [NO_SUCH_USER], { to: [repeated], connection: { rejected: 6 } })
  expect(outcome.effects.at(-1)).toMatchObject({ profile: { errorsMax: 1 } })
  const { results } = finishProbe(state, TIME)
  expect(results.slice(9).map(({ finding, retry }) => [finding, retry])).toEqual(
    Array(5).fill([{ kind: 'refused', code: 550, reason: 'too_many_errors' }, { afterMs: null }]),
  )
})

test('a backup host gets the control recipient first, and its rejections count only after an acceptance', () => {
  const state = start({ hosts: [MX1, MX2], preferences: [10, 20] })
  applyFailover(state, { kind: 'not_connected', host: MX1, failure: 'refused' }, CONTEXT)
  const connection = { host: MX2 }
  expect(nextRecipients(state, MX2, 10)).toEqual([state.controls[0]])
  receive(state, [NO_SUCH_USER], { connection })
  receive(state, [NO_SUCH_USER], { connection })
  expect(findings(state)).toMatchObject([{ why: 'unconfirmed_rejection' }, { why: 'connection_failed' }])
  receive(state, ['250 Ok'], { connection })
  expect(findings(state)).toMatchObject([{ reason: 'mailbox_not_found' }, { kind: 'accepted' }])
})

test('a backup host that accepts every recipient gets no other one, and nothing is a catch-all', () => {
  const state = start({ hosts: [MX1, MX2], preferences: [10, 20] })
  applyFailover(state, { kind: 'not_connected', host: MX1, failure: 'refused' }, CONTEXT)
  receive(state, ['250 Ok'], { connection: { host: MX2 } })
  expect(hostsToProbe(state)).toEqual([])
  const { results } = finishProbe(state, TIME)
  expect(results.map(({ finding, retry }) => [finding, retry])).toEqual(
    Array(2).fill([{ kind: 'unanswered', why: 'connection_failed' }, { afterMs: null }]),
  )
})

test('of two equal hosts the one that knows its recipients decides', () => {
  const state = start({ hosts: [MX1, MX2] })
  receive(state, ['250 Ok'], { to: [ADA] })
  receive(state, ['250 Ok'])
  expect(hostsToProbe(state)).toEqual([MX2])
  receive(state, [NO_SUCH_USER], { connection: { host: MX2 } })
  expect(hostsToProbe(state)).toEqual([MX2])
  expect(nextRecipients(state, MX2, 10)).toEqual([ADA, BOB])
  const { results } = finishProbe(state, TIME)
  expect(results[0]).toMatchObject({ acceptAll: 'untested', untestedFor: 'hosts_disagree', retry: { afterMs: null } })
  receive(state, ['250 Ok', NO_SUCH_USER], { connection: { host: MX2 } })
  expect(findings(state)).toMatchObject([{ kind: 'accepted' }, { reason: 'mailbox_not_found' }])
})

test('an equal host that rejects every recipient is doubted until another one rejects the same address', () => {
  const state = start({ hosts: [MX1, MX2] })
  receive(state, [NO_SUCH_USER, NO_SUCH_USER])
  expect(findings(state)).toMatchObject(Array(2).fill({ why: 'unconfirmed_rejection' }))
  expect(hostsToProbe(state)).toEqual([MX2])
  receive(state, [NO_SUCH_USER], { connection: { host: MX2 } })
  expect(findings(state)).toMatchObject([{ reason: 'mailbox_not_found' }, { why: 'unconfirmed_rejection' }])
})

test('a rule of one domain at a provider blocks the domain, and the provider is suspended with the third one only', () => {
  const connection = { host: 'a-example.mail.protection.outlook.com' }
  const outcome = receive(start({ hosts: [connection.host] }), [TENANT_BLOCK], { connection })
  expect(kinds(outcome)).toEqual(['record_reply', 'block_domain'])
  expect(outcome.effects[1]).toMatchObject({
    site: 'microsoft365',
    escalated: [{ kind: 'suspend' }, { kind: 'learn_host' }],
  })
  const { results } = finishProbe(outcome.state, TIME)
  expect(results.map(({ finding }) => finding)).toMatchObject([{ code: 550 }, { code: 0 }])
  expect(results[1]?.transcript).toEqual([])
})

test('recipients that did not fit into a transaction stay open and are sent in the next one', () => {
  const outcome = receive(start(), ['250 Ok', '452 4.5.3 Too many recipients'])
  expect(outcome).toMatchObject({ connection: 'reusable', changes: { transaction: null, recipientsMax: 1 } })
  expect(nextRecipients(outcome.state, MX1, 10)).toEqual([outcome.state.controls[0], BOB])
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
  expect(nextRecipients(outcome.state, MX1, 10)).toEqual([BOB])
  expect(finishProbe(outcome.state, TIME).results[1]).toMatchObject({
    finding: { kind: 'unanswered', why: 'connection_closed' },
    retry: { afterMs: null },
  })
})

test('recipients of a server that demands TLS stay open for the next connection, which uses it', () => {
  const connection = { capabilities: { ...NO_CAPABILITIES, starttls: true } }
  const outcome = receive(start(), ['530 5.7.0 Must issue a STARTTLS command first'], { connection })
  expect(outcome.connection).toBe('closed')
  expect(nextRecipients(outcome.state, MX1, 10)).toEqual([ADA, BOB])
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
  const state = start({ hosts: [MX1, MX2] })
  const lost = receive(state, [], { disconnect: { kind: 'disconnect', why: 'timeout' } })
  expect(lost.connection).toBe('closed')
  recordNoResponse(state, MX1)
  recordNoResponse(state, MX2)
  expect([...state.excludedHosts]).toEqual([MX1])
  expect(findings(state)).toEqual([1, 2].map(() => ({ kind: 'unanswered', why: 'timeout' })))
  expect(finishProbe(state, TIME).results[0]?.retry).toBeUndefined()
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
  const apply = (...failures: ConnectFailure[]) => {
    const state = start()
    for (const failure of failures) applyConnectFailure(state, failure, { ...CONTEXT, known: {} })
    return state
  }
  expect(findings(apply(refused, timeout))).toMatchObject([{ why: 'connection_failed' }, { why: 'connection_failed' }])
  expect(findings(apply(refused, busy))).toMatchObject([
    { kind: 'refused', code: 0 },
    { kind: 'refused', code: 0 },
  ])
})

test('throttled recipients are retried when the rate limiter allows it', () => {
  const throttle = { kind: 'throttle', why: 'rate', retryAfterMs: 1_500, of: 'site' } as const
  const state = start()
  applyThrottle(state, throttle, TIME)
  const { results } = finishProbe(state, TIME)
  expect(results.map(({ finding, retry }) => [finding, retry])).toEqual(
    [1, 2].map(() => [{ kind: 'unanswered', why: 'throttled' }, { afterMs: 1_500 }]),
  )
})
