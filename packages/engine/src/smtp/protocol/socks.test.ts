import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { whenDone } from '@probity/lab/when-done'
import { expect, test, vi } from 'vitest'
import { dialHost } from './dial.ts'
import { fakeDns, findFreePort, loopback, serve } from './test-dialing.ts'

type Proxy = {
  /** A reply code of RFC 1928 §6; 0 is success. */
  code?: number
  /** The required password, if any. */
  password?: string
  /** Stops replying at this step. */
  silentAt?: 'hello' | 'request'
  /** Sends the reply, and the data after it. */
  finish?(socket: Socket, answer: Buffer): unknown
}

const GREETING = '220 mx.example ESMTP\r\n'

/** A SOCKS5 proxy (RFC 1928, RFC 1929), and the requests it has received. */
async function startProxy(proxy: Proxy = {}) {
  const { code = 0, password, silentAt, finish = (socket, answer) => socket.write(answer) } = proxy
  const asked: { kind: number; address: string; port: number }[] = []
  const closed = Promise.withResolvers<void>()
  const passwords: string[] = []
  const talk = async (socket: Socket) => {
    socket.on('close', () => closed.resolve())
    const take = makeTaker(socket)
    const [, methods = 0] = await take(2)
    await take(methods)
    if (silentAt === 'hello') return
    socket.write(Uint8Array.of(5, password === undefined ? 0 : 2))
    if (password !== undefined) {
      const [, nameLength = 0] = await take(2)
      const [, length = 0] = (await take(nameLength + 1)).subarray(nameLength - 1)
      passwords.push((await take(length)).toString())
      socket.write(Uint8Array.of(1, passwords.at(-1) === password ? 0 : 1))
    }
    const [, , , kind = 0] = await take(4)
    const address = await take(kind === 4 ? 16 : 4)
    asked.push({ kind, address: address.join('.'), port: (await take(2)).readUInt16BE() })
    if (silentAt !== 'request') await finish(socket, Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]))
  }
  const port = await serve((socket) => void talk(socket).catch(() => socket.destroy())) // the client has left
  return { port, asked, passwords, closed: closed.promise }
}

/** Reads a number of bytes from a socket, and waits until they have arrived. */
function makeTaker(socket: Socket): (count: number) => Promise<Buffer> {
  let received = Buffer.alloc(0)
  socket.on('data', (data) => {
    received = Buffer.concat([received, data])
  })
  return async (count) => {
    await vi.waitUntil(() => received.length >= count || socket.destroyed, { interval: 2, timeout: 5_000 })
    if (received.length < count) throw new Error('The client has left.')
    const taken = received.subarray(0, count)
    received = received.subarray(count)
    return taken
  }
}

/** No server listens at 127.0.0.5: without the proxy there is no connection. */
async function dialThrough(socks5: { port: number; username?: string; password?: string }, deadlineMs = 3_000) {
  const dialing = loopback(['127.0.0.5'], 2525, {
    egress: { socks5: { host: '127.0.0.1', ...socks5 } },
    deadline: performance.now() + deadlineMs,
  })
  const dialed = await dialHost('mx.example', dialing)
  if (dialed.kind === 'connected') whenDone(() => dialed.socket.destroy())
  return dialed
}

async function getSocket(dialed: ReturnType<typeof dialThrough>): Promise<Socket> {
  const outcome = await dialed
  if (outcome.kind === 'failed') throw new Error(`The dialler failed: ${outcome.failure}.`)
  return outcome.socket
}

test('the SOCKS5 request contains the address, never the name', async () => {
  const proxy = await startProxy()
  expect(await dialThrough(proxy)).toMatchObject({ kind: 'connected', address: '127.0.0.5' })
  expect(proxy.asked).toEqual([{ kind: 1, address: '127.0.0.5', port: 2525 }])
})

test('the SOCKS5 request contains an IPv6 address in its own format', async () => {
  const proxy = await startProxy()
  const egress = { socks5: { host: '127.0.0.1', port: proxy.port } }
  const dialing = { ...loopback([], 25, { egress, allows: () => true }), dns: fakeDns({ six: [['2606:4700::1']] }).dns }
  const dialed = await dialHost('mx.example', dialing)
  if (dialed.kind === 'connected') dialed.socket.destroy()
  expect(proxy.asked).toEqual([{ kind: 4, address: '38.6.71.0.0.0.0.0.0.0.0.0.0.0.0.1', port: 25 }])
})

test('the proxy receives no address that the policy forbids', async () => {
  const proxy = await startProxy()
  const egress = { socks5: { host: '127.0.0.1', port: proxy.port } }
  const dialed = await dialHost('mx.example', loopback(['10.0.0.1', '169.254.169.254'], 25, { egress }))
  expect(dialed).toEqual({ kind: 'failed', failure: 'not_routable', address: null })
  expect(proxy.asked).toEqual([])
})

test.each<[string, NonNullable<Proxy['finish']>]>([
  ['in one chunk with the reply', (socket, answer) => socket.end(Buffer.concat([answer, Buffer.from(GREETING)]))],
  [
    'immediately after the reply',
    (socket, answer) => {
      socket.write(answer)
      socket.end(GREETING)
    },
  ],
  [
    'after a reply in single bytes',
    async (socket, answer) => {
      for (const byte of Buffer.concat([answer, Buffer.from(GREETING)])) {
        socket.write(Uint8Array.of(byte))
        await nextTurn()
      }
      socket.end()
    },
  ],
])('the greeting is complete when it comes %s', async (_, finish) => {
  const proxy = await startProxy({ finish })
  const socket = await getSocket(dialThrough(proxy))
  for (let turns = 0; turns < 20; turns += 1) await nextTurn()
  expect(socket.isPaused()).toBe(true)
  expect(await text(socket)).toBe(GREETING)
})

test('data pass through the proxy in both directions', async () => {
  const mailPort = await serve(
    (socket) => socket.write(GREETING) && socket.once('data', (data) => socket.end(`250 ${data}`)),
  )
  const proxy = await startProxy({
    finish(socket, answer) {
      const host = connect({ host: '127.0.0.1', port: mailPort })
      whenDone(() => host.destroy())
      socket.write(answer)
      host.pipe(socket).pipe(host)
    },
  })
  const socket = await getSocket(dialThrough(proxy))
  socket.write('EHLO probe.example\r\n')
  expect(await text(socket)).toBe(`${GREETING}250 EHLO probe.example\r\n`)
  expect(() => socket.emit('error', new Error('late'))).not.toThrow()
})

test('the proxy receives the password, and the failure does not contain a wrong one', async () => {
  const proxy = await startProxy({ password: 'open sesame' })
  const right = await dialThrough({ port: proxy.port, username: 'ali', password: 'open sesame' })
  expect(right.kind).toBe('connected')
  const wrong = await dialThrough({ port: proxy.port, username: 'ali', password: 'open barley' })
  expect(wrong).toEqual({ kind: 'failed', failure: 'proxy_failed', address: '127.0.0.5' })
  expect(proxy.passwords).toEqual(['open sesame', 'open barley'])
})

test.each([
  [1, 'proxy_failed'], // general failure
  [2, 'proxy_failed'], // not allowed by the proxy's rules
  [3, 'unreachable'],
  [4, 'unreachable'],
  [5, 'refused'],
  [6, 'unreachable'],
  [7, 'proxy_failed'], // command not supported
  [8, 'proxy_failed'], // kind of address not supported
  [99, 'proxy_failed'],
])('SOCKS5 reply code %i is reported as %s', async (code, failure) => {
  const proxy = await startProxy({ code })
  expect(await dialThrough(proxy)).toEqual({ kind: 'failed', failure, address: '127.0.0.5' })
  await proxy.closed
})

test('an unavailable, closing or non-SOCKS proxy is reported as proxy_failed', async () => {
  const failed = { kind: 'failed', failure: 'proxy_failed', address: '127.0.0.5' }
  expect(await dialThrough({ port: await findFreePort() })).toEqual(failed)
  expect(await dialThrough({ port: await serve((socket) => socket.destroy()) })).toEqual(failed)
  expect(await dialThrough({ port: await serve((socket) => socket.resetAndDestroy()) })).toEqual(failed)
  expect(await dialThrough({ port: await serve((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')) })).toEqual(
    failed,
  )
  expect(await dialThrough(await startProxy({ finish: (socket) => socket.end() }))).toEqual(failed)
})

test.each(['hello', 'request'] as const)(
  'dialHost ends at its deadline when the proxy does not reply to the %s',
  { tags: ['timed'] },
  async (silentAt) => {
    const proxy = await startProxy({ silentAt })
    const began = performance.now()
    expect(await dialThrough(proxy, 100)).toEqual({ kind: 'failed', failure: 'timeout', address: '127.0.0.5' })
    await proxy.closed
    expect(performance.now() - began).toBeLessThan(1_000)
  },
)
