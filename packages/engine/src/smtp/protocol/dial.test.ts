import { once } from 'node:events'
import { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { whenDone } from '@probity/lab/when-done'
import { afterEach, expect, test, vi } from 'vitest'
import { publicInternet } from './address-policy.ts'
import { type DialOptions, type DialResult, dialHost } from './dial.ts'
import { fakeDns, findFreePort, loopback, serve } from './test-dialing.ts'

afterEach(() => vi.restoreAllMocks())

async function getConnected(host: string, dialing: DialOptions): Promise<Extract<DialResult, { kind: 'connected' }>> {
  const dialed = await dialHost(host, dialing)
  if (dialed.kind === 'failed') throw new Error(`The dialler failed: ${dialed.failure}.`)
  whenDone(() => dialed.socket.destroy())
  return dialed
}

/** Prevents every connection from being opened, and lists the targets. */
function holdConnections(): {
  sockets: Socket[]
  targets: { host: string; port: number; autoSelectFamily: boolean }[]
} {
  const held: ReturnType<typeof holdConnections> = { sockets: [], targets: [] }
  vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args: unknown[]) {
    held.sockets.push(this)
    held.targets.push((args as [[(typeof held.targets)[number]]])[0][0])
    return this
  })
  return held
}

test('dialHost returns a connection from which nothing has been read, even if the server has sent its greeting', async () => {
  const spoken = Promise.withResolvers<void>()
  const port = await serve((socket) => socket.end('220 mx.example ESMTP\r\n', () => spoken.resolve()))
  const { socket, address } = await getConnected('mx.example', loopback(['127.0.0.1'], port))
  await spoken.promise
  for (let turns = 0; turns < 20; turns += 1) await nextTurn()

  expect(address).toBe('127.0.0.1')
  expect(socket.isPaused()).toBe(true)
  expect(await text(socket)).toBe('220 mx.example ESMTP\r\n')
})

test('dialHost returns a connection with an error listener and without its own listeners and timeout', async () => {
  const port = await serve((socket) => socket.resume())
  const { socket } = await getConnected('mx.example', loopback(['127.0.0.1'], port))
  expect(socket.timeout ?? 0).toBe(0)
  expect(['connect', 'timeout', 'close'].map((event) => socket.listenerCount(event))).toEqual([0, 0, 0])
  socket.emit('error', new Error('once'))
  socket.emit('error', new Error('and again'))
  expect(socket.destroyed).toBe(false)
})

test('dialHost handles a server that resets the connection immediately', async () => {
  const port = await serve((socket) => socket.resetAndDestroy())
  const outcomes = []
  for (let n = 0; n < 200; n += 1) {
    const dialed = await dialHost('mx.example', loopback(['127.0.0.1'], port))
    outcomes.push(dialed.kind === 'failed' ? dialed.failure : 'connected')
    if (dialed.kind === 'connected') dialed.socket.resume()
    if (dialed.kind === 'connected' && !dialed.socket.closed) await once(dialed.socket, 'close')
  }
  expect(new Set([...outcomes, 'connected', 'unreachable'])).toEqual(new Set(['connected', 'unreachable']))
})

test('dialHost returns unreachable when the connection is reset before its peer address is checked', async () => {
  const { sockets } = holdConnections()
  const dialed = dialHost('mx.example', loopback(['127.0.0.1'], 25))
  await vi.waitFor(() => expect(sockets).toHaveLength(1))
  sockets[0]?.emit('connect')
  expect(await dialed).toEqual({ kind: 'failed', failure: 'unreachable', address: '127.0.0.1' })
  expect(sockets[0]?.destroyed).toBe(true)
})

test('dialHost connects from the local address of the egress', async () => {
  const from: (string | undefined)[] = []
  const port = await serve((socket) => from.push(socket.remoteAddress))
  await getConnected('mx.example', loopback(['127.0.0.1'], port, { egress: { localAddress: '127.0.0.9' } }))
  await vi.waitFor(() => expect(from).toEqual(['127.0.0.9']))
})

test('dialHost tries a second address when the first one refuses, and no third', async () => {
  const port = await serve(() => {})
  const second = await getConnected('mx.example', loopback(['127.0.0.7', '127.0.0.1'], port))
  expect(second.address).toBe('127.0.0.1')

  const third = await dialHost('mx.example', loopback(['127.0.0.7', '127.0.0.8', '127.0.0.1'], port))
  expect(third).toEqual({ kind: 'failed', failure: 'refused', address: '127.0.0.8' })
  const repeated = await getConnected('mx.example', loopback(['127.0.0.7', '127.0.0.7', '127.0.0.1'], port))
  expect(repeated.address).toBe('127.0.0.1')
})

test('dialHost returns refused when no server listens', async () => {
  const dialed = await dialHost('mx.example', loopback(['127.0.0.1'], await findFreePort()))
  expect(dialed).toEqual({ kind: 'failed', failure: 'refused', address: '127.0.0.1' })
})

test('dialHost returns unreachable when there is no route', async () => {
  // An IPv4 loopback address has no route to an IPv6 loopback address.
  const dialing = loopback([], await findFreePort(), { allows: () => true, egress: { localAddress: '127.0.0.9' } })
  const dialed = await dialHost('mx.example', { ...dialing, dns: fakeDns({ six: [['::1']] }).dns })
  expect(dialed).toEqual({ kind: 'failed', failure: 'unreachable', address: '::1' })
})

test('dialHost closes a connection whose peer address the policy forbids', async () => {
  const ended = Promise.withResolvers<void>()
  const port = await serve((socket) => socket.resume().on('close', () => ended.resolve()))
  const judged: string[] = []
  const allows = (address: string) => judged.push(address) === 1
  const dialed = await dialHost('mx.example', loopback(['127.0.0.1'], port, { allows }))
  expect(dialed).toEqual({ kind: 'failed', failure: 'not_routable', address: '127.0.0.1' })
  expect(judged).toEqual(['127.0.0.1', '127.0.0.1'])
  await ended.promise
})

test.each<[string, Parameters<typeof fakeDns>[0], string]>([
  ['DNS fails', { four: ['ESERVFAIL'], six: [['2606:4700::1']] }, 'dns_failed'],
  ['there is no address', {}, 'no_address'],
  ['there is no such name', { four: ['ENOTFOUND'], six: ['ENOTFOUND'] }, 'no_address'],
  ['the IPv6 query fails', { six: ['ESERVFAIL'] }, 'dns_failed'],
  ['the alias has no address', { four: [[]] }, 'dns_failed'],
  ['all addresses are private', { four: [['10.0.0.1', '127.0.0.1']], six: [['::1', 'fd00::1']] }, 'not_routable'],
  ['the only addresses are private IPv6', { six: [['fe80::1']] }, 'not_routable'],
  ['IPv4 is private and the IPv6 query fails', { four: [['10.0.0.1']], six: ['ESERVFAIL'] }, 'dns_failed'],
  ['the responses are not addresses', { four: [['localhost', '127.1', '2130706433', '']] }, 'not_routable'],
])('dialHost connects to no address when %s', async (_, said, failure) => {
  const { targets } = holdConnections()
  const dialing = { ...loopback([], 25), dns: fakeDns(said).dns, policy: publicInternet() }
  expect(await dialHost('mx.example', dialing)).toEqual({ kind: 'failed', failure, address: null })
  expect(targets).toEqual([])
})

test('dialHost never connects to a name, even if the policy allows everything', async () => {
  const { targets } = holdConnections()
  const odd = ['localhost', '127.1', '0x7f.1', '2130706433', '0', '', 'fe80::1%lo', 'mx.example']
  const dialing = loopback(odd, 25, { allows: () => true })
  expect(await dialHost('mx.example', dialing)).toMatchObject({ kind: 'failed', failure: 'not_routable' })
  expect(targets).toEqual([])
})

test.each([
  '127.0.0.1',
  '8.8.8.8',
  '::1',
  '[::1]',
  '127.1',
  '2130706433',
  '0x7f.1',
  'localhost',
  'redis',
  '',
  'mx.local',
  '.',
])('dialHost neither resolves nor connects to the host %j', async (host) => {
  const { targets } = holdConnections()
  const { dns, asked } = fakeDns({ four: [['8.8.8.8']], six: [['2606:4700::1']] })
  const dialed = await dialHost(host, { ...loopback([], 25, { allows: () => true }), dns })
  expect(dialed).toEqual({ kind: 'failed', failure: 'not_routable', address: null })
  expect({ targets, asked }).toEqual({ targets: [], asked: { four: 0, six: 0 } })
})

test.each<[string, Parameters<typeof fakeDns>[0], string, number]>([
  [
    'dialHost does not query IPv6 when an IPv4 address is usable',
    { four: [['10.0.0.1', '8.8.8.8']], six: [['2606:4700::1']] },
    '8.8.8.8',
    0,
  ],
  ['dialHost uses IPv6 when there is no IPv4', { six: [['::1', '2606:4700::1']] }, '2606:4700::1', 1],
  ['dialHost uses IPv6 when no IPv4 is public', { four: [['10.0.0.1']], six: [['2606:4700::1']] }, '2606:4700::1', 1],
  ['dialHost uses IPv6 of an alias without IPv4', { four: [[]], six: [['2606:4700::1']] }, '2606:4700::1', 1],
])('%s', async (_, said, host, askedForSix) => {
  const { sockets, targets } = holdConnections()
  const { dns, asked } = fakeDns(said)
  const dialing = { ...loopback([], 0), dns, policy: publicInternet() }
  const dialed = dialHost('mx.example', dialing)
  await vi.waitFor(() => expect(targets).toMatchObject([{ host, port: 25, autoSelectFamily: false }]))
  sockets[0]?.destroy()
  expect(await dialed).toEqual({ kind: 'failed', failure: 'unreachable', address: host })
  expect(asked).toEqual({ four: 1, six: askedForSix })
})

test('dialHost ends at its deadline at every step', { tags: ['timed'] }, async () => {
  const { targets } = holdConnections()
  const began = performance.now()
  const connecting = await dialHost('mx.example', loopback(['127.0.0.1', '127.0.0.2'], 25, { deadline: began + 60 }))
  expect(connecting).toEqual({ kind: 'failed', failure: 'timeout', address: '127.0.0.1' })
  expect(targets).toHaveLength(1)

  const silent = { ...loopback([], 25, { deadline: performance.now() + 60 }), dns: fakeDns({ four: ['silence'] }).dns }
  expect(await dialHost('mx.example', silent)).toEqual({ kind: 'failed', failure: 'dns_failed', address: null })

  const { dns, asked } = fakeDns({ four: [['127.0.0.1']] })
  const late = await dialHost('mx.example', { ...loopback([], 25, { deadline: performance.now() }), dns })
  expect(late).toEqual({ kind: 'failed', failure: 'timeout', address: null })
  expect(asked.four).toBe(0)
  expect(performance.now() - began).toBeLessThan(1_000)
})

test('dialHost spends at most 8 seconds per address and sets TCP_NODELAY', async () => {
  const { sockets } = holdConnections()
  const noDelay = vi.spyOn(Socket.prototype, 'setNoDelay')
  const limits = vi.spyOn(Socket.prototype, 'setTimeout')
  const dialed = dialHost(
    'mx.example',
    loopback(['127.0.0.1', '127.0.0.2'], 25, { deadline: Number.POSITIVE_INFINITY }),
  )
  await vi.waitFor(() => expect(sockets).toHaveLength(1))
  sockets[0]?.emit('timeout')
  await vi.waitFor(() => expect(sockets).toHaveLength(2))
  sockets[1]?.emit('timeout')
  expect(await dialed).toEqual({ kind: 'failed', failure: 'timeout', address: '127.0.0.2' })
  expect(limits.mock.calls.map(([ms]) => ms)).toEqual([8_000, 0, 8_000, 0])
  expect(noDelay.mock.calls).toEqual([[], []])
})

const ENDS = { connect: 'connected', error: 'refused', timeout: 'timeout', close: 'unreachable' } as const
type End = keyof typeof ENDS

function listOrders(ends: End[]): End[][] {
  return ends.length === 0
    ? [[]]
    : ends.flatMap((end) => listOrders(ends.filter((other) => other !== end)).map((rest) => [end, ...rest]))
}

const ORDERS = listOrders(['connect', 'error', 'timeout', 'close'])

test(`dialHost handles connect, error, timeout and close in all ${ORDERS.length} orders, and the first event decides`, async () => {
  expect(ORDERS).toHaveLength(24)
  for (const order of ORDERS) {
    const { sockets } = holdConnections()
    const dialed = dialHost('mx.example', loopback(['127.0.0.1'], 25))
    await vi.waitFor(() => expect(sockets).toHaveLength(1))
    const [socket] = sockets
    if (socket) Object.defineProperty(socket, 'remoteAddress', { value: '127.0.0.1' })
    const emit = (end: End) => socket?.emit(end, Object.assign(new Error(end), { code: 'ECONNREFUSED' }))
    order.forEach(emit)
    const outcome = await dialed
    order.toReversed().forEach(emit)

    const first = ENDS[order[0] ?? 'close']
    expect([order, outcome.kind === 'failed' ? outcome.failure : 'connected']).toEqual([order, first])
    // A returned connection is no longer closed by dialHost; any other connection is closed.
    expect([order, socket?.destroyed]).toEqual([order, first !== 'connected'])
    socket?.destroy()
    vi.mocked(Socket.prototype.connect).mockRestore()
  }
})
