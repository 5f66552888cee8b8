import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Duplex, PassThrough } from 'node:stream'
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls'
import { afterAll, expect, test, vi } from 'vitest'
import { whenDone } from '../../when-done.ts'
import { type Talk, talk } from '../test-client.ts'
import { HOSTILE, startHostile } from './start.ts'

const WAIT_MS = 2_000

const hostile = await startHostile({ base: '127.66.1', timeUnitMs: 5 })
afterAll(() => hostile.stop())

/** Probes `someone` and a recipient that does not exist, as any prober would. */
function visit(name: string, before: string[] = [], at = hostile): Promise<Talk> {
  const domain = `${name}.hostile.example`
  const commands = ['MAIL FROM:<probe@example.com>', `RCPT TO:<someone@${domain}>`, `RCPT TO:<other@${domain}>`, 'QUIT']
  return talk({ host: at.hostOf(name), port: at.port }, ['EHLO probe.example', ...before, ...commands], WAIT_MS)
}

const TO_TLS = ['MAIL FROM:<probe@example.com>', 'STARTTLS', '<tls>', 'EHLO probe.example']
/** The reply codes of an honest server: banner, EHLO, MAIL, the recipient that exists, the one that does not, QUIT. */
const HONEST = '220 250 250 250 550 221'

/**
 * The visible result of each behavior: the codes of complete replies, the end, and, when these do not show the oddity,
 * another property.
 */
const MET: Record<string, [codes: string, end: Talk['end'], shows?: (talk: Talk) => boolean]> = {
  refused: ['', 'refused'],
  silent: ['', 'open', ({ bytes }) => bytes === 0],
  reset: ['', 'reset'],
  'one-byte': ['', 'closed', ({ bytes }) => bytes === 1],
  'half-closed': ['', 'closed'],
  'half-closed-after-greeting': ['220', 'closed'],
  'reset-at-ehlo': ['220', 'reset'],

  'greeting-drips': ['', 'open', ({ text, pieces }) => /^220 x+$/.test(text) && pieces > text.length / 2],
  'greeting-huge': ['', 'open', ({ bytes }) => bytes > 10_000_000],
  'greeting-unended': ['', 'open', ({ text }) => /^220 \S+ ESMTP$/.test(text)],
  'greeting-lf': [HONEST, 'closed', ({ text }) => text.startsWith('220-mx.hostile.example\n220 ESMTP\n')],
  'greeting-endless': ['', 'open', ({ bytes }) => bytes > 16_000_000],
  'greeting-554': ['554', 'closed'],
  'greeting-blocked': ['554', 'closed', ({ text }) => /blocked.*reputation/.test(text)],
  'greeting-unknown-user': ['550', 'closed', ({ text }) => text.includes('User unknown')],
  'greeting-421': ['421', 'closed'],
  'greeting-busy': ['421', 'closed', ({ text }) => text.includes('Too many concurrent connections')],
  'greeting-binary': ['', 'open', ({ bytes }) => bytes > 1_000],
  'greeting-bom': ['', 'open', ({ text }) => text.startsWith('\xef\xbb\xbf220 ')],
  'greeting-http': ['', 'closed', ({ text }) => text.startsWith('HTTP/1.1 400')],
  'greeting-tls': ['', 'closed', ({ text }) => text === '\x15\x03\x03\x00\x02\x02\x28'],
  'greeting-and-more': ['220 250 250 250 250 550 221', 'closed'],

  'ehlo-unknown': ['220 502 250 250 550 221', 'closed'],
  'ehlo-endless': ['220', 'open', ({ text }) => text.split('250-X-CAPABILITY').length > 5_000],
  'ehlo-two-codes': ['220 550 250 250 550 221', 'closed', ({ text }) => /^250-.*\r\n550 /m.test(text)],
  'ehlo-000': ['220 000 250 250 550 221', 'closed'],
  'ehlo-999': ['220 999 250 250 550 221', 'closed'],
  'ehlo-code-only': [HONEST, 'closed', ({ text }) => text.includes('\n250\r\n')],
  'ehlo-unspaced': [HONEST, 'closed', ({ text }) => text.includes('\n250mx.')],
  'ehlo-nul': [HONEST, 'closed', ({ text }) => text.includes('\0')],
  'ehlo-slow': [HONEST, 'closed'],
  'ehlo-never': ['220', 'open'],
  'ehlo-and-more': ['220 250 250 250 550 250 250 550 221', 'closed'],
  'ehlo-blocked': ['220 554 250 250 550 221', 'closed', ({ text }) => text.includes('blocked using')],
  'replies-joined': [HONEST, 'closed'],
  'replies-split': [HONEST, 'closed', ({ pieces, text }) => pieces > text.length / 2],
  'replies-lf': [HONEST, 'closed', ({ text }) => text.match(/\r/g)?.length === 1],

  'tls-injected': ['220 250 530 220 250 250 250 250 250 250 550 221', 'closed'],
  'tls-garbage': ['220 250 530 220', 'no_tls'],
  'tls-stalls': ['220 250 530 220', 'open'],
  'tls-self-signed': ['220 250 530 220 250 250 250 550 221', 'closed'],
  'tls-expired': ['220 250 530 220 250 250 250 550 221', 'closed'],
  'tls-wrong-name': ['220 250 530 220 250 250 250 550 221', 'closed'],
  'tls-endless-chain': ['220 250 530 220', 'no_tls'],
  'tls-outdated': ['220 250 530 220', 'no_tls'],
  'tls-hangs-up': ['220 250 530 220', 'no_tls'],
  'tls-unavailable': ['220 250 530 454', 'open'],
  'tls-offered-broken': [HONEST, 'closed', ({ text }) => text.includes('STARTTLS')],

  'mail-unknown-user': ['220 250 550 250 550 221', 'closed', ({ text }) => text.includes('550 5.1.1 User unknown\r\n')],
  'mail-blocked': ['220 250 550 250 550 221', 'closed', ({ text }) => text.includes('blacklist')],
  'rcpt-all-accepted': ['220 250 250 250 250 221', 'closed'],
  'rcpt-all-unknown': ['220 250 250 550 550 221', 'closed', ({ text }) => text.includes('User unknown')],
  'rcpt-all-refused': ['220 250 250 550 550 221', 'closed', ({ text }) => text.includes('550 Denied\r\n')],
  'rcpt-all-blocked': ['220 250 250 554 554 221', 'closed', ({ text }) => text.includes('blocked using')],
  'rcpt-greylisted': ['220 250 250 451 451 221', 'closed'],
  'rcpt-421': ['220 250 250 421', 'closed'],
  'rcpt-full': ['220 250 250 552 550 221', 'closed'],
  'rcpt-policy': ['220 250 250 550 550 221', 'closed', ({ text }) => /550 5\.7\.1 .*policy\r\n550 5\.1\.1/.test(text)],
  'rcpt-random': ['220 250 250', 'open', ({ text }) => /\xfe[\s\S]{60}\r\n$/.test(text)],
  'rcpt-never': ['220 250 250', 'open'],
  'rcpt-hangs-up': ['220 250 250', 'closed'],
  'rcpt-hangs-up-later': ['220 250 250 250', 'closed'],
  'rcpt-tarpit': [HONEST, 'closed'],
  'rcpt-252': ['220 250 250 252 252 221', 'closed'],
  'rcpt-354': ['220 250 250 354 354 221', 'closed'],
  'rcpt-wordless': [HONEST, 'closed', ({ text }) => text.includes('\n250\r\n550 5.1.1\r\n')],
  'rcpt-long': ['220 250 250 550', 'open', ({ bytes }) => bytes > 65_536],
  'rcpt-escapes': ['220 250 250 550 550 221', 'closed', ({ text }) => text.includes('\x1b[34mUser unknown\x1b[2J')],
  'rcpt-log-lines': ['220 250 250 550 550 221', 'closed', ({ text }) => text.includes('User unknown\r{"level"')],
  'rcpt-refused-as-2': ['220 250 250 550 550 221', 'closed', ({ text }) => text.includes('550 2.1.5 User unknown')],
  'rcpt-accepted-as-5': [HONEST, 'closed', ({ text }) => text.includes('250 5.1.1')],

  'quit-ignored': ['220 250 250 250 550', 'open'],
  'quit-stays': [HONEST, 'open'],
  'quit-pours': [HONEST, 'closed', ({ bytes }) => bytes > 1_000_000],
  'quit-resets': ['220 250 250 250 550', 'reset'],
}

test('every hostile behavior has an expected visible result', () => {
  expect(Object.keys(HOSTILE).length).toBeGreaterThanOrEqual(60)
  expect(Object.keys(MET).toSorted()).toEqual(Object.keys(HOSTILE).toSorted())
})

/** Stops at the command with the oddity. */
function meet(name: string): Promise<Talk> {
  const demandsTls = name.startsWith('tls-') && name !== 'tls-offered-broken'
  return visit(name, demandsTls ? TO_TLS : [])
}

// All at once, since most of them wait. A retry runs alone.
const TALKS = new Map(Object.keys(HOSTILE).map((name) => [name, meet(name)]))

test.each(Object.entries(HOSTILE).map(([name, { about }]) => [name, about]))('%s: %s', async (name) => {
  const met = await (TALKS.get(name) ?? meet(name))
  TALKS.delete(name)
  const [codes, end, shows = () => true] = MET[name] ?? []
  expect(met).toMatchObject({ codes, end })
  expect(met).toSatisfy(shows)
})

test('the no-EHLO behavior accepts HELO', async () => {
  const where = { host: hostile.hostOf('ehlo-unknown'), port: hostile.port }
  const { codes } = await talk(where, ['EHLO probe.example', 'HELO probe.example', 'QUIT'], WAIT_MS)
  expect(codes).toBe('220 502 250 221')
})

test('the half-close behavior closes one direction and keeps reading', async () => {
  const other = await startHostile({ base: '127.66.5', timeUnitMs: 5 })
  whenDone(() => other.stop())
  const socket = connect({ host: other.hostOf('half-closed'), port: other.port, allowHalfOpen: true })
  whenDone(() => socket.destroy())
  await once(socket.resume(), 'end')
  for (let n = 0; n < 3; n++) await new Promise((resolve) => socket.write('EHLO probe.example\r\n', resolve))
  expect({ open: other.countOpen(), error: socket.errored }).toEqual({ open: 1, error: null })
  socket.end()
  await vi.waitFor(() => expect(other.countOpen()).toBe(0))
})

test('the one-segment behavior sends all replies in one segment', async () => {
  const where = { host: hostile.hostOf('replies-joined'), port: hostile.port }
  const asked = 'MAIL FROM:<probe@example.com>\nRCPT TO:<someone@example.com>\nRCPT TO:<other@example.com>'
  const { codes, pieces } = await talk(where, ['EHLO probe.example', asked], 300)
  expect({ codes, pieces }).toEqual({ codes: '220 250 250 250 550', pieces: 3 })
})

test('the TLS behaviors present the documented certificates', async () => {
  const shown = async (name: string) => {
    const socket = await startTls(name)
    return socket.getPeerX509Certificate()
  }
  const [own, expired, wrong] = await Promise.all(['tls-self-signed', 'tls-expired', 'tls-wrong-name'].map(shown))
  expect(own?.subject).toBe('CN=mx.tls-self-signed.hostile.example')
  expect(own?.validToDate.getTime()).toBeGreaterThan(Date.now())
  expect(own?.verify(own.publicKey)).toBe(true)
  expect(expired?.validToDate.getTime()).toBeLessThan(Date.now())
  expect(wrong?.subject).toBe('CN=mx.elsewhere.example')
})

test('the outdated TLS behavior accepts TLS 1.0 only', async () => {
  const old = await startTls('tls-outdated', { minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' })
  expect(old.getProtocol()).toBe('TLSv1')
})

test('the stalled TLS handshake sends its first message', async () => {
  const socket = await goAhead('tls-stalls')
  const sent = new PassThrough()
  const secure = connectTls({ socket: Duplex.from({ writable: socket, readable: sent }), rejectUnauthorized: false })
  secure.on('error', () => {}) // ended by the test
  const [hello] = (await once(socket, 'data')) as [Buffer]
  secure.destroy()
  // A handshake record (22) whose message is a ServerHello (2): RFC 8446 §4 and §5.1.
  expect([hello[0], hello[5], hello.length]).toEqual([22, 2, 5 + hello.readUInt16BE(3)])
})

test('greylisting accepts the recipient after the delay', async () => {
  const quick = await startHostile({ base: '127.66.2', timeUnitMs: 0.001 })
  whenDone(() => quick.stop())
  expect((await visit('rcpt-greylisted', [], quick)).codes).toBe('220 250 250 451 451 221')
  await vi.waitFor(async () => expect((await visit('rcpt-greylisted', [], quick)).codes).toBe(HONEST), 2_000)
})

test('delays last the documented number of time units', { tags: ['timed'] }, async () => {
  const patient = await startHostile({ base: '127.66.3', timeUnitMs: 20 })
  whenDone(() => patient.stop())
  const slow = performance.now()
  await visit('ehlo-slow', [], patient)
  expect(performance.now() - slow).toBeGreaterThan(29 * 20 - 5)
  const growing = performance.now()
  await visit('rcpt-tarpit', [], patient)
  expect(performance.now() - growing).toBeGreaterThan((5 + 10) * 20 - 5)
})

test('every behavior has a DNS name with its own address', () => {
  const addresses = Object.keys(HOSTILE).map((name) => {
    const [[, exchange] = []] = hostile.names[`${name}.hostile.example`]?.mx ?? []
    return hostile.names[exchange ?? '']?.a?.[0]
  })
  expect(addresses).toEqual(Object.keys(HOSTILE).map(hostile.hostOf))
  expect(new Set(addresses).size).toBe(addresses.length)
})

test('connections are dropped after the client disconnects and when the server stops', async () => {
  const other = await startHostile({ base: '127.66.4', timeUnitMs: 5 })
  whenDone(() => other.stop())
  const names = Object.keys(HOSTILE).filter((name) => name !== 'refused')
  const gone = names.map((name) => connect({ host: other.hostOf(name), port: other.port }).on('error', () => {}))
  await vi.waitFor(() => expect(gone.filter((socket) => socket.connecting)).toEqual([]))
  for (const socket of gone) socket.destroy()
  await vi.waitFor(() => expect(other.countOpen()).toBe(0))
  const begun = await Promise.all(names.filter((name) => name.startsWith('tls-')).map((name) => goAhead(name, other)))
  for (const socket of begun) socket.destroy()
  await vi.waitFor(() => expect(other.countOpen()).toBe(0))

  const waiting = connect({ host: other.hostOf('silent'), port: other.port })
  await vi.waitFor(() => expect(other.countOpen()).toBe(1))
  await Promise.all([once(waiting.resume(), 'close'), other.stop()])
  expect(other.countOpen()).toBe(0)
})

test('a flood uses little memory', async () => {
  const other = await startHostile({ base: '127.66.6', timeUnitMs: 5 })
  whenDone(() => other.stop())
  const before = process.memoryUsage.rss()
  const floods = Array.from({ length: 24 }, (_, n) =>
    connect({ host: other.hostOf(n % 2 ? 'greeting-endless' : 'greeting-huge'), port: other.port }).pause(),
  )
  whenDone(() => floods.map((flood) => flood.destroy()))
  await Promise.all(floods.map((flood) => once(flood, 'readable')))
  await vi.waitFor(() => expect(other.countOpen()).toBe(24), 5_000)
  expect(process.memoryUsage.rss() - before).toBeLessThan(48_000_000)
})

/** A connection on which the server has just replied 220 to STARTTLS. */
async function goAhead(name: string, at = hostile): Promise<Socket> {
  const socket = connect({ host: at.hostOf(name), port: at.port })
  whenDone(() => socket.destroy())
  await once(socket, 'data')
  socket.write('EHLO probe.example\r\n')
  await once(socket, 'data')
  socket.write('STARTTLS\r\n')
  await once(socket, 'data')
  return socket
}

async function startTls(name: string, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connectTls({ socket: await goAhead(name), rejectUnauthorized: false, ...options })
  whenDone(() => socket.destroy())
  await once(socket, 'secureConnect')
  return socket
}
