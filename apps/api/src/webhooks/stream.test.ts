import { get, type IncomingMessage } from 'node:http'
import type { WebhookEventType } from '@probity/contract/constants/webhooks'
import { WEBHOOK_BODIES } from '@probity/contract/schemas/webhooks/events'
import { insertKey } from '@probity/database/accounts/keys'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import Value from 'typebox/value'
import { expect, test, vi } from 'vitest'
import { LIMITS } from '../http/limits.ts'
import { API_ROUTES } from '../server/app.ts'
import { start } from '../server/start.ts'
import { startTestApi, type TestClient } from '../testing/test-api.ts'
import { addMember, signUp } from '../testing/test-browser.ts'

// Shorter than the streams below: none of these limits may end a stream.
const limits = { ...LIMITS, headersTimeoutMs: 300, requestTimeoutMs: 500, keepAliveTimeoutMs: 300 }
const api = await startTestApi()
const server = await start({ ...api.config, limits }, api.services.log, API_ROUTES)
whenDone(() => server.stop())
const SOON = { timeout: 15_000, interval: 20 }

type Event = {
  id: string
  body: { id: string; type: WebhookEventType; livemode: boolean; data: Record<string, unknown> }
}
type Stream = { answer: IncomingMessage; text(): string; events(): Event[]; isOver(): boolean; close(): void }

function open(
  headers: Record<string, string>,
  path = '/api/v1/events/stream',
  port = server.address.port,
): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const request = get(`http://127.0.0.1:${port}${path}`, { headers, agent: false }, (answer) => {
      let text = ''
      let isOver = false
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      answer.on('close', () => (isOver = true)).on('error', () => {}) // 'close' follows
      const events = () =>
        [...text.matchAll(/^id: (\S+)\ndata: (.*)\n\n/gm)].map(([, id = '', data = '']) => ({
          id,
          body: JSON.parse(data),
        }))
      resolve({ answer, text: () => text, events, isOver: () => isOver, close: () => request.destroy() })
    })
    request.on('error', reject)
    whenDone(() => request.destroy())
  })
}

const follow = (caller: TestClient) => open({ 'x-api-key': caller.key })

const createKey = (caller: TestClient, payload: object = {}) =>
  caller.call({ method: 'POST', url: '/api/v1/keys', payload: { name: 'Sign-up form', ...payload } })

test('a stream emits the events of the account as they happen, with the event id, and no event of another account', async () => {
  const [caller, other] = [await api.openCaller(), await api.openCaller()]
  const stream = await follow(caller)
  expect(stream.answer.statusCode).toBe(200)
  expect(stream.answer.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
  })
  await createKey(other)
  const { body: made } = await createKey(caller)
  await caller.call({ method: 'DELETE', url: `/api/v1/keys/${made['id']}` })
  await vi.waitFor(() => expect(stream.events()).toHaveLength(2), SOON)
  const [created, revoked] = stream.events()
  expect([created?.body.type, revoked?.body.type]).toEqual(['key.created', 'key.revoked'])
  for (const event of stream.events()) {
    expect(event.body.data['id']).toBe(made['id'])
    expect(event.id).toBe(event.body.id)
    expect([...Value.Errors(WEBHOOK_BODIES[event.body.type], event.body)]).toEqual([])
  }
  const { rows } = await asOwner(api.db, (trx) =>
    sql`select from webhook_events where account_id = ${caller.accountId}`.execute(trx),
  )
  expect(rows).toEqual([])
})

test('a test key receives the events of test mode only', async () => {
  const caller = await api.openCaller()
  const { text } = await inTenant(api.db, caller.accountId, (trx) =>
    insertKey(trx, caller.accountId, { mode: 'test', name: 't', scopes: ['webhooks:write', 'keys:write'] }),
  )
  const stream = await open({ 'x-api-key': text })
  await createKey(caller)
  await createKey(caller, { livemode: false })
  await vi.waitFor(() => expect(stream.events()).toHaveLength(1), SOON)
  expect(stream.events()[0]?.body.livemode).toBe(false)
})

test('an account has two streams at a time; a third is rejected until one is closed', async () => {
  const caller = await api.openCaller()
  const first = await follow(caller)
  await follow(caller)
  const rejected = await caller.call({ method: 'GET', url: '/api/v1/events/stream' })
  expect([rejected.status, rejected.body['code']]).toEqual([429, 'too_many_streams'])
  expect(rejected.headers['retry-after']).toBe('15')
  first.close()
  await vi.waitFor(async () => {
    const again = await follow(caller)
    expect(again.answer.statusCode).toBe(200)
  }, SOON)
})

test.each([
  ['revoked', (caller: TestClient) => caller.call({ method: 'DELETE', url: `/api/v1/keys/${caller.keyId}` })],
  [
    'paused',
    (caller: TestClient) =>
      asOwner(api.db, (trx) =>
        sql`update api_keys set paused_at = clock_timestamp() where id = ${caller.keyId}`.execute(trx),
      ),
  ],
])('a stream ends when its key is %s', async (_, end) => {
  const caller = await api.openCaller()
  const stream = await follow(caller)
  await end(caller)
  await vi.waitFor(() => expect(stream.isOver()).toBe(true), SOON)
  expect(stream.answer.complete).toBe(true)
})

test('a key without the scope is rejected', async () => {
  const caller = await api.openCaller({ key: { scopes: ['jobs:write', 'account:read'] } })
  const rejected = await caller.call({ method: 'GET', url: '/api/v1/events/stream' })
  expect([rejected.status, rejected.body['code']]).toEqual([403, 'missing_scope'])
})

test('a stream whose database row was deleted is ended, so that the client reconnects', async () => {
  const caller = await api.openCaller()
  const stream = await follow(caller)
  await asOwner(api.db, (trx) => sql`delete from event_streams where account_id = ${caller.accountId}`.execute(trx))
  await vi.waitFor(() => expect(stream.isOver()).toBe(true), SOON)
})

test('a process that stops ends its streams and frees their slots', async () => {
  const short = await start(api.config, api.services.log, API_ROUTES)
  const caller = await api.openCaller()
  const streams = [1, 2].map(() => open({ 'x-api-key': caller.key }, undefined, short.address.port))
  for (const stream of await Promise.all(streams)) expect(stream.answer.statusCode).toBe(200)
  await short.stop()
  expect((await follow(caller)).answer.statusCode).toBe(200)
})

test('a stream that a session opened emits events and ends with the membership', async () => {
  const caller = await api.openCaller()
  const member = await signUp(api)
  await addMember(api, caller.accountId, member, 'developer')
  const cookie = [...member.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const session = { cookie, 'sec-fetch-site': 'same-origin', 'probity-app': '1', 'probity-account': caller.accountId }
  const stream = await open(session, '/app/api/events/stream')
  expect(stream.answer.statusCode).toBe(200)
  await createKey(caller)
  await vi.waitFor(() => expect(stream.events()).toMatchObject([{ body: { type: 'key.created' } }]), SOON)
  await asOwner(api.db, (trx) => sql`delete from members where user_id = ${member.personId}`.execute(trx))
  await vi.waitFor(() => expect(stream.isOver()).toBe(true), SOON)
})
