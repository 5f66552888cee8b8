import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { whenDone } from '@probity/lab/when-done'
import { expect, test, vi } from 'vitest'
import { LIMITS } from '../../http/limits.ts'
import type { Route } from '../../http/route.ts'
import { startTestApi } from '../../testing/test-api.ts'

/** More than the buffers of a connection take, so that a client that does not read keeps the response unfinished. */
const LARGE = Buffer.alloc(16_000_000, 'x')

const HIDDEN = { hide: true } as const
const never = () => new Promise<never>(() => {})

/** Requests for /late wait here before their bodies are read. */
const late: Array<() => void> = []

const routes: Route = async (app) => {
  app.get('/never', { schema: HIDDEN }, never)
  app.get('/small', { schema: HIDDEN }, async () => ({ ok: true }))
  app.post('/waits', { schema: HIDDEN, config: { waitsS: 1 } }, never)
  app.get('/large', { schema: HIDDEN }, async (_request, reply) => reply.send(LARGE))
  await app.register(async (slow) => {
    slow.addHook('onRequest', () => new Promise<void>((resolve) => late.push(resolve)))
    slow.post('/late', { schema: HIDDEN }, async () => ({ ok: true }))
  })
}

const limits = { ...LIMITS, handlerTimeoutMs: 2_000, handlerGraceMs: 300, writeTimeoutMs: 700, headersTimeoutMs: 1_500 }
const api = await startTestApi({ routes: [routes], config: { limits } })
const url = await api.app.listen({ host: '127.0.0.1', port: 0 })
const { key, call } = await api.openCaller()
const { inFlight } = api.services

function send(text: string): Socket {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) })
  whenDone(() => socket.destroy())
  socket.on('error', () => {}) // the server may close the connection
  socket.write(text)
  return socket
}

const get = (path: string) => `GET /api/v1${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`

const countConnections = () =>
  new Promise<number>((resolve) => api.app.server.getConnections((_error, count) => resolve(count)))

test('a handler that never ends gets a response at its time limit', async () => {
  const { status, body, headers } = await call({ method: 'GET', url: '/api/v1/never' })
  expect([status, body['code'], headers['retry-after']]).toEqual([503, 'service_unavailable', '5'])
  expect(inFlight.all).toBe(0)
  expect(readFileSync(api.logFile, 'utf8')).toContain('handler exceeded its time limit')
})

test('a handler of a request with a timeout is limited by that timeout', { tags: ['timed'] }, async () => {
  const elapsed = async (payload: object) => {
    const began = performance.now()
    const { status } = await call({ method: 'POST', url: '/api/v1/waits', payload })
    expect(status).toBe(503)
    return performance.now() - began
  }
  const [usual, longer] = await Promise.all([elapsed({}), elapsed({ timeout: 3 })])
  expect(usual).toBeGreaterThan(1_200)
  expect(usual).toBeLessThan(1_900)
  expect(longer).toBeGreaterThan(3_200)
})

test('a request ends when its client disconnects before the body is read', async () => {
  const head = `POST /api/v1/late HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n`
  const socket = send(head)
  await vi.waitFor(() => expect(late.length).toBe(1))
  socket.destroy()
  await vi.waitFor(async () => expect(await countConnections()).toBe(0))
  for (const goOn of late.splice(0)) goOn()
  await vi.waitFor(() => expect(readFileSync(api.logFile, 'utf8')).toContain('client disconnected'))
  expect(inFlight.all).toBe(0)
})

test('a client that reads nothing of its response is disconnected', async () => {
  send(get('/large')).pause()
  await vi.waitFor(async () => expect(await countConnections()).toBe(1))
  await vi.waitFor(async () => expect(await countConnections()).toBe(0), { timeout: 30_000 })
})

test('a client that sends its headers too slowly is disconnected, also when it keeps its side of the connection open', async () => {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), allowHalfOpen: true })
  whenDone(() => socket.destroy())
  socket.resume().write('GET /api/v1/small HTTP/1.1\r\nHost: x\r\n')
  await vi.waitFor(async () => expect(await countConnections()).toBe(1))
  await vi.waitFor(async () => expect(await countConnections()).toBe(0), { timeout: 30_000 })
})

test('a client that reads its response slowly gets all of it', async () => {
  const socket = send(get('/large').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')).pause()
  let bytes = 0
  const timer = setInterval(() => {
    const part = socket.read() as Buffer | null // what fits into the socket's buffer, 64 KiB or so
    bytes += part?.length ?? 0
  }, 10)
  whenDone(() => clearInterval(timer))
  await vi.waitFor(() => expect(bytes).toBeGreaterThan(LARGE.length), { timeout: 60_000 })
})

test('a pipelined request may take longer than a client may go without reading', async () => {
  const slow: string[] = []
  const socket = send(get('/small') + get('/never'))
  socket.on('data', (chunk) => slow.push(String(chunk)))
  await vi.waitFor(() => expect(slow.join('')).toContain('"code":"service_unavailable"'), { timeout: 30_000 })
})
