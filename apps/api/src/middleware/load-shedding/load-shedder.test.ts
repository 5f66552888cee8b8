import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { Agent, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { whenDone } from '@probity/lab/when-done'
import { afterEach, expect, test } from 'vitest'
import { startTestApi } from '../../testing/test-api.ts'

const { app, services, config, logFile, openCaller } = await startTestApi({ config: { inFlightMax: 12 } })
await app.listen({ host: '127.0.0.1', port: 0 })
const { port } = app.server.address() as AddressInfo
const { key } = await openCaller()
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
whenDone(() => agent.destroy())
const { inFlight } = services

type Answer = { status: number; headers: Record<string, unknown>; body: Record<string, unknown> }

/** All over one connection: a rejected request must leave it usable for the next. */
async function ask(method: string, path: string, body?: object): Promise<Answer> {
  const headers = { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) }
  const sent = request({ host: '127.0.0.1', port, method, path, agent, headers })
  sent.end(body && JSON.stringify(body))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const answer = await text(response)
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: answer.startsWith('{') ? JSON.parse(answer) : {},
  }
}

const single = () => ask('POST', '/api/v1/validation/single?wait=1', { email: 'ada@example.com' })

afterEach(() => Object.assign(inFlight, { all: 0, working: 0, busy: 0, max: config.inFlightMax }))

test('a request without a free slot gets the same 503 before and after parsing, and the connection stays open', async () => {
  inFlight.working = 9
  const early = await single()
  const late = await app.inject({ method: 'POST', url: '/api/v1/validation/single', payload: {} })
  const { 'request-id': id, date, connection, 'keep-alive': kept, ...headers } = early.headers
  expect(late.headers).toMatchObject(headers)
  expect(early.headers['retry-after']).toBe('1')
  expect(early.body).toEqual({ ...late.json(), request_id: id })
  expect(id).toMatch(/^req_[0-9a-f-]{36}$/)

  inFlight.working = 0
  expect((await ask('GET', '/api/v1/account')).status).toBe(200)
})

test('the classes are rejected in order, and health checks never', async () => {
  inFlight.busy = 0.6
  expect(await ask('POST', '/api/v1/validation/bulk', { emails: [] })).toMatchObject({
    status: 503,
    body: { retry_after_s: 5 },
  })
  expect((await ask('POST', '/api/v1/validation/single', {})).status).toBe(400)
  inFlight.working = 9
  expect((await ask('GET', '/api/v1/account')).status).toBe(200)
  inFlight.max = 0
  expect((await ask('GET', '/api/v1/account')).status).toBe(503)
  expect((await ask('GET', '/api/v1/bulk/jobs/a-name')).status).toBe(503) // has no fixed path, so Fastify's hook rejects it
  expect((await ask('GET', '/livez')).status).toBe(200)
})

test('shed requests are counted and not logged', async () => {
  const shed = async () =>
    /probity_http_problems_total\{code="overloaded"\} (\d+)/.exec(await services.metrics.metrics())?.[1]
  const before = Number(await shed())
  inFlight.working = 9
  const { headers } = await single()
  expect(Number(await shed())).toBe(before + 1)
  expect(await services.metrics.metrics()).toMatch(
    /probity_http_requests_total\{method="POST",route="\/api\/v1\/validation\/single",status="5xx"\} \d/,
  )
  expect(await readFile(logFile, 'utf8')).not.toContain(headers['request-id'])
})
