import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseAddress } from '../../address/parse.ts'
import { decide } from '../../verdict/decide.ts'
import { mailboxEvidence } from '../../verdict/evidence.ts'
import type { DomainProfile } from '../connections/probe-cache.ts'
import { NO_CAPABILITIES } from '../protocol/handshake.ts'
import type { Reply } from '../protocol/reply-reader.ts'
import { PROVIDER_LIMITS } from '../providers/data/limits.ts'
import { finishProbe, listResults } from './finish.ts'
import { findConfirmation, hostsToProbe, nextRecipients } from './next-recipients.ts'
import { applyExchange, applyFailover } from './outcome.ts'
import type { Recipient } from './request.ts'
import type { ProbeResult } from './result.ts'
import { startProbe } from './start.ts'
import { getHost, recordNoResponse } from './state.ts'

const DOMAIN = 'a.example'
const EGRESS = { name: 'egress', heloName: 'probe.probity.example', mailFrom: 'bounce@probity.example' }
const TIME = { unixS: 1_700_000_000, elapsedMs: 250, isLate: false }

const REPLIES = [
  '250 Ok',
  '550 5.1.1 User unknown',
  '550 5.2.1 This account has been disabled',
  '551 5.1.6 User has moved to another address',
  '552 5.2.2 Mailbox is full',
  '554 5.7.1 Relay access denied',
  '550 Rejected',
  '550 5.7.1 Message rejected by policy',
  '451 4.7.1 Greylisting in action',
  '452 4.2.1 The user is receiving mail at a rate that prevents additional messages from being delivered',
  '550 5.7.1 Your IP address is blocked',
  '421 4.7.0 Too many errors',
  '252 Cannot verify',
]

/** A host replies the same way to all recipients, by its list, or at random. */
type HostKind = { existing: number; missing: number; noise: number[]; bansAfter: number }

const hostKind: fc.Arbitrary<HostKind> = fc.record({
  existing: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(REPLIES.length - 1)),
  missing: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(0, 1, 6) }, fc.nat(REPLIES.length - 1)),
  noise: fc.array(fc.oneof({ weight: 6, arbitrary: fc.constant(-1) }, fc.nat(REPLIES.length - 1)), { maxLength: 12 }),
  bansAfter: fc.oneof({ weight: 3, arbitrary: fc.constant(Number.POSITIVE_INFINITY) }, fc.nat(8)),
})

const world = fc.record({
  preferences: fc.array(fc.constantFrom(10, 10, 20, 30), { minLength: 1, maxLength: 3 }),
  kinds: fc.array(hostKind, { minLength: 3, maxLength: 3 }),
  exists: fc.array(fc.boolean(), { minLength: 1, maxLength: 9 }),
  faults: fc.array(fc.constantFrom('none', 'none', 'none', 'closed', 'unavailable', 'silent'), { maxLength: 8 }),
  windowSize: fc.integer({ min: 1, max: 5 }),
  known: fc.array(fc.constantFrom(undefined, 'rejects' as const, 'accepts' as const), { minLength: 3, maxLength: 3 }),
})

type World = typeof world extends fc.Arbitrary<infer T> ? T : never

/** One reply as the test saw it. */
type Seen = { host: string; path: string; code: number; line: string }

function parse(line: string): Reply {
  const [, code = '', enhanced] = /^(\d{3})(?: (\d\.\d\.\d))?/.exec(line) ?? []
  return { code: Number(code), enhanced: enhanced ?? null, lines: [line.slice(4)] }
}

/** Plays a probe against the hosts of a world, as `probeDomain` does, and keeps a log of its own. */
function play({ preferences, kinds, exists, faults, windowSize, known }: World) {
  const hosts = preferences
    .toSorted((a, b) => a - b)
    .map((preference, n) => ({ name: `mx${n + 1}.a.example`, preference }))
  const recipients: Recipient[] = exists.map((does, n) => ({
    path: `${does ? 'real' : 'gone'}${n}@${DOMAIN}`,
    needsUtf8: false,
  }))
  const proofs: NonNullable<DomainProfile['hosts']> = {}
  for (const [n, { name }] of hosts.entries()) {
    const value = known[n]
    if (value) proofs[name] = { value, evidence: 'control', at: TIME.unixS - 3_600, refusal: '550 - rejected' }
  }
  const site = { key: 'site', provider: '', hosts, limits: PROVIDER_LIMITS[''] }
  const state = startProbe({ domain: DOMAIN, site, recipients, known: { hosts: proofs }, isReachable: true }, TIME)
  const context = { egress: EGRESS, providerLimits: PROVIDER_LIMITS, time: TIME }
  const log: Seen[] = []
  const counts = new Map<string, number>()

  const replyOf = (n: number, path: string): string => {
    const host = `mx${n + 1}.a.example`
    const count = counts.get(host) ?? 0
    counts.set(host, count + 1)
    const kind = kinds[n] as HostKind
    const noise = kind.noise[count] ?? -1
    const own = path.startsWith('real') ? kind.existing : kind.missing
    if (count >= kind.bansAfter) return '550 Rejected'
    return REPLIES[noise === -1 ? own : noise] ?? ''
  }

  for (let connections = 0; connections < 40; connections += 1) {
    const [name] = hostsToProbe(state)
    if (name === undefined || state.silentConnections >= 2) break
    const n = hosts.findIndex((host) => host.name === name)
    const fault = faults[connections] ?? 'none'
    if (fault === 'unavailable' && hostsToProbe(state).length > 1) {
      applyFailover(state, { kind: 'not_connected', host: name, failure: 'refused' }, context)
      continue
    }
    if (fault === 'silent' || fault === 'unavailable') {
      recordNoResponse(state, name)
      continue
    }
    for (let exchanges = 0; exchanges < 20; exchanges += 1) {
      const confirmation = findConfirmation(state, getHost(state, name))
      const next = nextRecipients(state, name, windowSize)
      const sent = next.length > 0 ? next : confirmation ? [confirmation] : []
      if (sent.length === 0) break
      const isCut = fault === 'closed' && exchanges === 1
      const replied = isCut ? sent.slice(0, Math.floor(sent.length / 2)) : sent
      const replies = replied.map((recipient, position) => {
        const line = replyOf(n, recipient.path)
        log.push({ host: name, path: recipient.path, code: Number(line.slice(0, 3)), line })
        return { recipient, reply: parse(line), position }
      })
      const greeting = { stage: 'greeting', code: 220, enhanced: null, text: 'ready' } as const
      const connection = {
        host: name,
        greeting,
        secure: false,
        capabilities: NO_CAPABILITIES,
        rejected: 1,
        recipientsMax: Number.POSITIVE_INFINITY,
        windowSize,
      }
      const disconnect = isCut ? ({ kind: 'disconnect', why: 'closed' } as const) : null
      const outcome = applyExchange(
        state,
        { replies, mailRejection: null, disconnect },
        { ...context, connection, known: {} },
      )
      if (outcome.connection === 'closed') break
    }
  }
  return {
    hosts,
    proofs,
    controls: state.controls.map(({ path }) => path),
    recipients,
    log,
    results: listResults(state, TIME),
  }
}

type Played = ReturnType<typeof play>

/** The invariants, judged by the log alone: nothing here reads the state of the probe. */
function listViolations(played: Played): string[] {
  return played.results.flatMap((result, n) => {
    const path = played.recipients[n]?.path ?? ''
    const address = parseAddress(path)
    const { status, subStatus } = decide({ address, isRole: false, mailbox: result })
    const own = played.log.filter((seen) => seen.path === path)
    const of = { played, result, own }
    const isSound =
      status === 'invalid'
        ? subStatus === 'domain_not_hosted'
          ? isHostedNowhere(of)
          : isRejected(of)
        : status === 'valid'
          ? isProven(of)
          : subStatus === 'catch_all'
            ? isCatchAll(of)
            : true
    const faults = isSound ? [] : [`${path} ${status} ${subStatus} without evidence`]
    return quotesOther(of) ? [...faults, `${path} quotes a reply to another address`] : faults
  })
}

type Judged = { played: Played; result: ProbeResult; own: Seen[] }

function isBackup({ hosts, log }: Played, name: string): boolean {
  const own = hosts.find((host) => host.name === name)
  const isForeign = (host: string) => {
    const seen = log.filter((one) => one.host === host)
    const relayed = new Set(seen.filter(({ line }) => line.includes('Relay')).map(({ path }) => path))
    return relayed.size >= 2
  }
  return hosts.some((host) => host.preference < (own?.preference ?? 0) && !isForeign(host.name))
}

/** I1, and that the host does not reject every recipient. */
function isRejected({ played, result, own }: Judged): boolean {
  const { hosts, log } = played
  const rejections = own.filter(
    ({ host, code, line }) => host === result.host && code >= 400 && !line.includes('Relay'),
  )
  if (rejections.length === 0) return false
  if (rejections.every(({ line }) => line === '550 Rejected' || line.includes('policy')))
    return isLikeControl({ played, result, own })
  const hasAccepted = log.some(({ host, code }) => host === result.host && code === 250)
  const preference = hosts.find(({ name }) => name === result.host)?.preference
  const hasPeers = hosts.filter((host) => host.preference === preference).length > 1
  const byHosts = new Set(own.filter(({ line }) => /^55[01] 5\.[12]/.test(line)).map(({ host }) => host))
  return hasAccepted || (!isBackup(played, result.host ?? '') && (!hasPeers || byHosts.size >= 2))
}

/** I5: the control recipient was rejected so, by this probe or an earlier one, and another recipient was accepted afterwards. */
function isLikeControl({ played, result, own }: Judged): boolean {
  const { log, controls, proofs } = played
  const last = log.lastIndexOf(own.findLast(({ host }) => host === result.host) as Seen)
  const line = log[last]?.line
  const isKnown = proofs[result.host ?? '']?.value === 'rejects' && line === '550 Rejected'
  const isLive = log.some((seen) => seen.host === result.host && controls.includes(seen.path) && seen.line === line)
  return (isKnown || isLive) && log.slice(last + 1).some(({ host, code }) => host === result.host && code === 250)
}

/** I2. */
function isHostedNowhere({ played: { hosts, log }, own }: Judged): boolean {
  if (!own.some(({ line }) => line.includes('Relay'))) return false
  return hosts.every(({ name }) => {
    const seen = log.filter(({ host }) => host === name)
    const relayed = new Set(seen.filter(({ line }) => line.includes('Relay')).map(({ path }) => path))
    return relayed.size >= 2 && !seen.some(({ code, path }) => code === 250 && !path.startsWith('postmaster'))
  })
}

/** I3: the host rejected a control recipient as unknown, or accepted a recipient again after two rejections in other words. */
function isProven({ played: { log, controls, proofs }, result, own }: Judged): boolean {
  const isAccepted = own.some(
    ({ host, code, line }) => host === result.host && (code === 250 || line.includes('at a rate')),
  )
  if (!isAccepted) return false
  if (proofs[result.host ?? '']?.value === 'rejects') return true
  const tests = log.filter(({ host, path }) => host === result.host && controls.includes(path))
  if (tests.some(({ line }) => /^550 5\.(1\.1|2\.1)/.test(line))) return true
  const last = log.findLastIndex(({ host, path }) => host === result.host && path === controls[1])
  return (
    tests.filter(({ code }) => code >= 500).length >= 2 &&
    log.slice(last + 1).some(({ host, code, path }) => host === result.host && code === 250 && !controls.includes(path))
  )
}

/** I4. */
function isCatchAll({ played, result }: Judged): boolean {
  const { log, controls, proofs, hosts } = played
  if (result.finding.kind === 'unasked')
    return hosts.some(({ name }) => proofs[name]?.value === 'accepts' && !isBackup(played, name))
  const isAccepted = log.some(({ host, path, code }) => host === result.host && controls.includes(path) && code < 300)
  return (isAccepted || proofs[result.host ?? '']?.value === 'accepts') && !isBackup(played, result.host ?? '')
}

/** The evidence of check `recipient` quotes RCPT only with a reply that the address got itself. */
function quotesOther({ result, own }: Judged): boolean {
  const detail = mailboxEvidence(result).find(({ check }) => check === 'recipient')?.detail ?? ''
  const quoted = [...detail.matchAll(/RCPT TO[^:]*: “([^”]*)”/g)].map(([, text = '']) => text)
  return quoted.some(
    (text) => !own.some(({ line }) => line.slice(0, 3) === text.slice(0, 3) && text.endsWith(line.slice(-12))),
  )
}

test('no sequence of replies, bans, outages and disconnects leads to a result that the replies do not support', () => {
  fc.assert(
    fc.property(world, (drawn) => {
      expect(listViolations(play(drawn))).toEqual([])
    }),
    { numRuns: 4_000 },
  )
})

test('a result that its replies do not support is unknown', () => {
  const recipients = [{ path: `real0@${DOMAIN}`, needsUtf8: false }]
  const hosts = [{ name: 'mx1.a.example', preference: 10 }]
  const site = { key: 'site', provider: '', hosts, limits: PROVIDER_LIMITS[''] }
  const state = startProbe({ domain: DOMAIN, site, recipients, known: {}, isReachable: true }, TIME)
  const finding = { kind: 'refused', code: 550, reason: 'mailbox_not_found' } as const
  const result = { finding, host: 'mx1.a.example', transcript: [], at: 0, ms: 0, order: 1 }
  state.results.set(recipients[0] as Recipient, result)
  expect(finishProbe(state, TIME).results[0]).toMatchObject({
    finding: { reason: 'server_error' },
    retry: { afterMs: null },
  })
})
