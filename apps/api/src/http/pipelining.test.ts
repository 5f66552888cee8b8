import { connect, type Socket } from 'node:net'
import { whenDone } from '@probity/lab/when-done'
import { expect, test, vi } from 'vitest'
import { startTestApi } from '../testing/test-api.ts'
import type { Route } from './route.ts'

/** More than the buffers of a connection take, so that a client that does not read keeps the response unfinished. */
const LARGE = Buffer.alloc(16_000_000, 'x')

const routes: Route = async (app) => {
  app.get('/large', { schema: { hide: true } }, async (_request, reply) => reply.send(LARGE))
  app.get('/small', { schema: { hide: true } }, async () => ({ ok: true }))
  app.post('/take', { schema: { hide: true } }, async (request) => request.body)
}

const api = await startTestApi({ routes: [routes] })
const url = await api.app.listen({ host: '127.0.0.1', port: 0 })
const { key } = await api.openCaller({ plan: 'scale' })
const { inFlight } = api.services

const get = (path: string) => `GET /api/v1${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`

/** Requests whose response has not ended, whether they hold a slot or wait for their client. */
async function countInFlight(): Promise<number | undefined> {
  const gauge = await api.services.metrics.getSingleMetric('probity_http_requests_in_flight')?.get()
  return gauge?.values[0]?.value
}

function send(text: string): Socket {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) })
  whenDone(() => socket.destroy())
  socket.on('error', () => {}) // the server may close the connection
  socket.write(text)
  return socket
}

/** Sends requests of another client one after the other and returns their statuses. */
async function askOften(times: number): Promise<number[]> {
  const statuses: number[] = []
  for (let n = 0; n < times; n += 1) {
    statuses.push((await fetch(`${url}/api/v1/small`, { headers: { 'x-api-key': key } })).status)
  }
  return statuses
}

test('pipelined requests behind an unread response are not processed, and none is left when the connection ends', async () => {
  const socket = send(get('/large') + get('/small').repeat(20)).pause()
  await vi.waitFor(async () => expect(await countInFlight()).toBe(1))
  expect(await askOften(128)).toEqual(Array.from({ length: 128 }, () => 200))
  expect([await countInFlight(), inFlight.all]).toEqual([1, 0])
  socket.destroy()
  await vi.waitFor(async () => expect([await countInFlight(), inFlight.all]).toEqual([0, 0]))
})

test('a connection with 900 pipelined requests behind an unread response is closed, and its slot is free', async () => {
  const socket = send(get('/large') + get('/small').repeat(900)).pause()
  const closed = new Promise((resolve) => socket.once('close', resolve))
  expect(await askOften(128)).toEqual(Array.from({ length: 128 }, () => 200))
  socket.resume()
  await closed
  await vi.waitFor(async () => expect([await countInFlight(), inFlight.all]).toEqual([0, 0]))
})

test('pipelined requests that are read are answered in their order, bodies included', async () => {
  const post = (n: number) => {
    const body = JSON.stringify({ n })
    const headers = `Host: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
    return `POST /api/v1/take HTTP/1.1\r\n${headers}\r\n\r\n${body}`
  }
  let text = ''
  send(Array.from({ length: 30 }, (_, n) => post(n)).join('')).on('data', (chunk) => (text += chunk))
  const numbers = () => [...text.matchAll(/\{"n":(\d+)\}/g)].map(([, n]) => Number(n))
  await vi.waitFor(() => expect(numbers()).toEqual(Array.from({ length: 30 }, (_, n) => n)))
})
