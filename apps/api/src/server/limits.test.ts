import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test, vi } from 'vitest'
import { LIMITS } from '../http/limits.ts'
import type { Route } from '../http/route.ts'
import { startTestApi } from '../testing/test-api.ts'
import { start } from './start.ts'

/** A route that responds when the test releases it, for requests that must stay in flight. */
const waiting: Array<() => void> = []
const wait: Route = async (app) => {
  app.get('/wait', { schema: { hide: true } }, async () => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    return { waited: true }
  })
  app.post('/take', { schema: { hide: true } }, async () => ({ taken: true }))
  app.post('/take-large', { schema: { hide: true }, config: { largeBody: true } }, async () => ({ taken: true }))
}

const QUICK = {
  ...LIMITS,
  headersTimeoutMs: 400,
  requestTimeoutMs: 900,
  uploadTimeoutMs: 8_000,
  uploadBytesPerSecondMin: 100,
}
const api = await startTestApi({ routes: [wait] })
const running = await start({ ...api.config, limits: QUICK, inFlightMax: 3 }, api.services.log, [wait])
afterAll(() => running.stop())
const { port } = running.address
const { key } = await api.openCaller()

/** Sends raw bytes and collects the response until the server closes the connection. */
function speak(...parts: string[]): { socket: Socket; answer: Promise<string> } {
  const socket = connect({ host: '127.0.0.1', port })
  for (const part of parts) socket.write(part)
  const answer = new Promise<string>((resolve) => {
    let text = ''
    socket.on('data', (chunk) => (text += chunk))
    socket.on('close', () => resolve(text))
    socket.on('error', () => {}) // 'close' follows
  })
  return { socket, answer }
}

function post(body: string, headers: string[] = [], path = '/api/v1/take'): string {
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    `X-API-Key: ${key}`,
    'Content-Type: application/json',
    'Connection: close',
    ...headers,
  ]
  return `${lines.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n`
}

const jsonOf = (bytes: number) => `{"text":"${'x'.repeat(bytes - '{"text":""}'.length)}"}`

test('the configured limits apply instead of the defaults of Node and Fastify', async () => {
  const { server } = api.app
  expect(server.requestTimeout).toBe(300_000)
  expect(api.config.limits).toMatchObject({ requestTimeoutMs: 30_000, uploadBytesPerSecondMin: 10_240 })
  expect(server.headersTimeout).toBe(10_000)
  expect(server.keepAliveTimeout).toBe(5_000)
  expect(server.maxRequestsPerSocket).toBe(1_000)
})

test('a body at the limit is accepted, and one byte more is rejected', async () => {
  const fits = jsonOf(LIMITS.bodyBytesMax)
  expect(await speak(post(fits), fits).answer).toContain('200 OK')

  const over = jsonOf(LIMITS.bodyBytesMax + 1)
  const refused = await speak(post(over), over).answer
  expect(refused).toContain('413 Payload Too Large')
  expect(refused).toContain('"code":"payload_too_large"')
})

test('a body above the limit is rejected by its announced length, before it is sent', async () => {
  const announced = `POST /api/v1/take HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n`
  const { socket, answer } = speak(announced)
  const first = await new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(String(chunk))))
  expect(first).toContain('413')
  socket.destroy()
  await answer
})

test('a client that disconnects within a body is not logged as an error', async () => {
  const log = await vi.waitFor(async () => {
    const { socket, answer } = speak(post('x'.repeat(1000)), 'x')
    await sleep(100) // the server does not notice a client that disconnects before its body is read, so the test tries again
    socket.destroy()
    await answer
    const text = readFileSync(api.logFile, 'utf8')
    expect(text).toContain('client disconnected')
    return text
  })
  expect(log).not.toMatch(/"level":[56]0|request failed|"status":5/)
})

test('headers up to the limit are accepted, and larger ones are rejected', async () => {
  const get = (padding: number) =>
    `GET /api/v1/nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Padding: ${'x'.repeat(padding)}\r\n\r\n`
  expect(await speak(get(LIMITS.headerBytesMax - 200)).answer).toContain('404 Not Found')

  const refused = await speak(get(LIMITS.headerBytesMax)).answer
  expect(refused).toContain('431')
  expect(refused).toContain('"code":"headers_too_large"')
  expect(refused).toContain('Request-Id: req_')
})

test('a client that does not complete its headers is disconnected', { tags: ['timed'] }, async () => {
  const began = performance.now()
  const answer = await speak('GET /api/v1/account HTTP/1.1\r\nHost: x\r\n').answer
  expect(answer).toContain('408 Request Timeout')
  expect(answer).toContain('"code":"request_timeout"')
  expect(performance.now() - began).toBeLessThan(2_500)
})

test('a client that sends its body too slowly is disconnected, however steadily it sends', {
  tags: ['timed'],
}, async () => {
  const began = performance.now()
  const { socket, answer } = speak(post('x'.repeat(1000)))
  const drip = setInterval(() => socket.write('x'), 50)
  const text = await answer
  clearInterval(drip)
  expect(text).toContain('408')
  expect(performance.now() - began).toBeLessThan(3_500)
})

type Pieces = { first?: number; each: number }

/** Sends a body in pieces, one every 50 ms, until it is complete or the server closes the connection. */
async function sendSlowly(body: string, { first = 0, each }: Pieces) {
  const began = performance.now()
  const { socket, answer } = speak(post(body, [], '/api/v1/take-large'), body.slice(0, first))
  let sent = first
  const timer = setInterval(() => {
    if (sent < body.length) socket.write(body.slice(sent, sent + each))
    sent += each
  }, 50)
  const text = await answer
  clearInterval(timer)
  return { text, ms: performance.now() - began }
}

const LARGE = jsonOf(4_000)

test('a large body may take longer than others at the minimum rate', { tags: ['timed'] }, async () => {
  const { text, ms } = await sendSlowly(LARGE, { each: 100 })
  expect(text).toContain('200 OK')
  expect(ms).toBeGreaterThan(QUICK.requestTimeoutMs * 2)
})

test.each([
  ['from the start', { each: 1 }],
  ['after a good start', { first: 150, each: 0 }],
])('a large body below that rate %s is disconnected', { tags: ['timed'] }, async (_, pieces) => {
  const { text, ms } = await sendSlowly(LARGE, pieces)
  expect(text).toContain('"code":"request_timeout"')
  expect(ms).toBeLessThan(QUICK.uploadTimeoutMs - 500)
})

test('a fast body that does not end is disconnected at the time limit of large bodies', {
  tags: ['timed'],
}, async () => {
  const { text, ms } = await sendSlowly(LARGE, { first: 3_000, each: 1 })
  expect(text).toContain('"code":"request_timeout"')
  expect(ms).toBeGreaterThan(QUICK.uploadTimeoutMs - 500)
})

test('a client that keeps sending after the error response is disconnected', async () => {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
  const closed = new Promise((resolve) => socket.on('close', resolve))
  socket.on('error', () => {}) // 'close' follows
  socket.resume().write(post('x'.repeat(1_000)))
  const drip = setInterval(() => socket.write('x'), 50)
  await closed
  clearInterval(drip)
})

test('input that is not HTTP is rejected and not repeated in the response', async () => {
  const answer = await speak('canary-7f3a <nonsense>\r\n\r\n').answer
  expect(answer).toContain('400 Bad Request')
  expect(answer).toContain('"code":"invalid_request"')
  expect(answer).not.toContain('canary')
})

test('a message with two content lengths is rejected', async () => {
  const both = `POST /api/v1/take HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`
  expect(await speak(both).answer).toContain('400 Bad Request')
})

test('requests beyond the concurrency limit get 503 and Retry-After, and health checks are served', async () => {
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-api-key': key } })
  const inside = [ask('/api/v1/wait'), ask('/api/v1/wait'), ask('/api/v1/wait')]
  await expect.poll(() => waiting.length).toBe(3)

  const refused = await ask('/api/v1/account')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await refused.json()).toMatchObject({ code: 'overloaded', retry_after_s: 1 })
  expect((await ask('/livez')).status).toBe(200)

  for (const answer of waiting.splice(0)) answer()
  expect((await Promise.all(inside)).map((answer) => answer.status)).toEqual([200, 200, 200])
  expect((await ask('/api/v1/nothing')).status).toBe(404)
})

test('clients that disconnect free their slots', async () => {
  const gone = Array.from({ length: 3 }, () =>
    speak(`GET /api/v1/wait HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`),
  )
  await expect.poll(() => waiting.length).toBe(3)
  for (const { socket } of gone) socket.destroy()
  await expect
    .poll(
      async () => (await fetch(`http://127.0.0.1:${port}/api/v1/nothing`, { headers: { 'x-api-key': key } })).status,
    )
    .toBe(404)
})
