import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import { LIMITS } from '../../http/limits.ts'
import type { Route } from '../../http/route.ts'
import { startTestApi } from '../../testing/test-api.ts'
import { openClient, sendUnread } from '../../testing/test-sockets.ts'

/** More than the buffers of a connection take, so that a client that does not read keeps the response unfinished. */
const LARGE = Buffer.alloc(16_000_000, 'x')

/** Requests for /wait that are being processed. */
const waiting: Array<() => void> = []

const routes: Route = async (app) => {
  app.get('/wait', { schema: { hide: true } }, async () => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    return { ok: true }
  })
  app.get('/small', { schema: { hide: true } }, async () => ({ ok: true }))
  app.get('/large', { schema: { hide: true } }, async (_request, reply) => reply.send(LARGE))
  app.post('/take', { schema: { hide: true } }, async () => ({ ok: true }))
  // Reads the body in its handler, as uploads do.
  app.addContentTypeParser('application/octet-stream', (_request, _payload, done) => done(null))
  app.post('/upload', { schema: { hide: true } }, async ({ raw }) => {
    await text(raw)
    await new Promise<void>((resolve) => waiting.push(resolve))
    return { ok: true }
  })
}

async function startListening(trustedProxies: string[]) {
  const limits = { ...LIMITS, connectionsPerNetworkMax: 8, unfinishedPerNetworkMax: 4 }
  const api = await startTestApi({ routes: [routes], config: { limits, trustedProxies, inFlightMax: 4_000 } })
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = api.app.server.address() as AddressInfo
  const { key } = await api.openCaller({ plan: 'scale' })
  const small = (localAddress: string, headers: Record<string, string> = {}) =>
    openClient(port, localAddress)({ path: '/api/v1/small', headers: { 'x-api-key': key, ...headers } })
  return { ...api, port, key, small, inFlight: api.services.inFlight }
}

const direct = await startListening([])
const proxied = await startListening(['127.0.0.1'])

const countConnections = ({ app }: typeof direct) =>
  new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count)))

/** Requests whose response has not ended, whether they hold a slot or wait for their client. */
async function countInFlight(): Promise<number | undefined> {
  const gauge = await direct.services.metrics.getSingleMetric('probity_http_requests_in_flight')?.get()
  return gauge?.values[0]?.value
}

type Half = { key: string; from?: string }

const headOf = (line: string, { key, from }: Half) =>
  `${line} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n${from === undefined ? '' : `X-Forwarded-For: ${from}\r\n`}`
const half = (by: Half) =>
  `${headOf('POST /api/v1/take', by)}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`
const large = (by: Half) => `${headOf('GET /api/v1/large', by)}\r\n`

test('a network gets as many connections as the limit, and another network is served', async () => {
  const sockets = Array.from({ length: 8 }, () => sendUnread(direct.port, '127.0.0.1'))
  await vi.waitFor(async () => expect(await countConnections(direct)).toBe(8))
  const refused = await text(sendUnread(direct.port, '127.0.0.1'))
  expect(refused).toMatch(/^HTTP\/1.1 429 [\s\S]*Retry-After: 1[\s\S]*"code":"rate_limited"/)
  expect((await direct.small('127.0.0.2')).status).toBe(200)
  for (const socket of sockets) socket.destroy()
  await vi.waitFor(async () => expect((await direct.small('127.0.0.1')).status).toBe(200))
})

test('unfinished bodies and unread responses hold no slot', async () => {
  const sockets = [half(direct), large(direct)].map((message) => sendUnread(direct.port, '127.0.0.3', message))
  await vi.waitFor(async () => expect(await countInFlight()).toBe(2))
  await vi.waitFor(() => expect(direct.inFlight).toMatchObject({ all: 0, working: 0 }))
  expect(await countInFlight()).toBe(2)
  for (const socket of sockets) socket.destroy()
})

test.each([
  ['unfinished bodies', half],
  ['unread responses', large],
])('requests of a network with too many %s are rejected, and those of others are not', async (_, messageOf) => {
  for (let n = 0; n < 4; n += 1) sendUnread(direct.port, '127.0.0.4', messageOf(direct))
  await vi.waitFor(async () => {
    const { status, text: said } = await direct.small('127.0.0.4')
    expect([status, said]).toEqual([429, expect.stringContaining('unfinished')])
  })
  expect((await direct.small('127.0.0.5')).status).toBe(200)
})

test('a body that arrives in parts is processed when it is complete, and its slot is free afterwards', async () => {
  const body = JSON.stringify({ text: 'x'.repeat(89) })
  const socket = sendUnread(direct.port, '127.0.0.6', half(direct))
  let response = ''
  socket.resume().on('data', (chunk) => (response += chunk))
  await vi.waitFor(() => expect(direct.inFlight.all).toBe(0))
  socket.write(body.slice(1))
  await vi.waitFor(() => expect(response).toContain('200 OK'))
  await vi.waitFor(() => expect(direct.inFlight).toMatchObject({ all: 0, working: 0 }))
})

test('an upload holds a slot from the end of its body to its response', async () => {
  const message = `${headOf('POST /api/v1/upload', direct)}Content-Type: application/octet-stream\r\nContent-Length: 2\r\n\r\n`
  const socket = sendUnread(direct.port, '127.0.0.7', `${message}x`).resume()
  await vi.waitFor(async () => expect([await countInFlight(), direct.inFlight.all]).toEqual([1, 0]))
  socket.write('x')
  await vi.waitFor(() => expect(waiting.length).toBe(1))
  expect(direct.inFlight.all).toBe(1)
  for (const goOn of waiting.splice(0)) goOn()
  await vi.waitFor(() => expect(direct.inFlight.all).toBe(0))
})

test('a trusted proxy with 2,000 connections is served', async () => {
  const client = openClient(proxied.port, '127.0.0.1')
  const headers = (n: number) => ({ 'x-api-key': proxied.key, 'x-forwarded-for': `192.0.2.${n % 250}` })
  const responses: ReturnType<typeof client>[] = []
  for (let n = 0; n < 2_000; n += 1) {
    responses.push(client({ path: '/api/v1/wait', headers: headers(n) }))
    // A few at a time: the kernel keeps some hundred connections that the process has not accepted yet.
    if (n % 100 === 99) await vi.waitFor(() => expect(waiting.length).toBe(n + 1))
  }
  expect(await countConnections(proxied)).toBe(2_000)
  for (const goOn of waiting.splice(0)) goOn()
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual(responses.map(() => 200))
})

test('behind a trusted proxy unfinished requests are counted for the forwarded address', async () => {
  for (let n = 0; n < 4; n += 1) sendUnread(proxied.port, '127.0.0.1', half({ key: proxied.key, from: '192.0.2.1' }))
  await vi.waitFor(async () =>
    expect((await proxied.small('127.0.0.1', { 'x-forwarded-for': '192.0.2.1' })).status).toBe(429),
  )
  // The proxy learns which rejections it need not keep until the body arrives.
  const rejected = [half, large].map(async (messageOf) => {
    const socket = connect({ port: proxied.port, host: '127.0.0.1' })
    socket.write(messageOf({ key: proxied.key, from: '192.0.2.1' }))
    return text(socket)
  })
  const marked = (await Promise.all(rejected)).map((said) => [
    said.slice(0, 12),
    /^probity-unread-body: true\r$/m.test(said),
  ])
  expect(marked).toEqual([
    ['HTTP/1.1 429', true],
    ['HTTP/1.1 429', false],
  ])
  expect((await proxied.small('127.0.0.1', { 'x-forwarded-for': '192.0.2.2' })).status).toBe(200)
  expect((await proxied.small('127.0.0.1')).status).toBe(200) // the proxy's own request, without a forwarded address
})
