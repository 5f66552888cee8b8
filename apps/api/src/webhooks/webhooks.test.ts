import { Webhook, WebhookList, WebhookWithSecret } from '@probity/contract/schemas/webhooks/endpoints'
import { asOwner } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import Value from 'typebox/value'
import { expect, test } from 'vitest'
import { startTestApi, type TestClient } from '../testing/test-api.ts'

const api = await startTestApi()
const URL = 'https://hooks.example.com/probity'
const create = (caller: TestClient, payload: object = { url: URL }) =>
  caller.call({ method: 'POST', url: '/api/v1/webhooks', payload })
const at = (id: unknown, rest = '') => `/api/v1/webhooks/${String(id)}${rest}`

test('a new webhook is returned with its secret, once', async () => {
  const caller = await api.openCaller()
  const made = await create(caller, { url: URL, description: 'Production', events: ['job.completed'] })
  expect(made.status).toBe(201)
  expect(Value.Check(WebhookWithSecret, made.body)).toBe(true)
  expect(made.body).toMatchObject({
    url: URL,
    description: 'Production',
    livemode: true,
    events: ['job.completed'],
    enabled: true,
  })
  expect(made.body['secret']).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(made.body['public_key']).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/)

  const shown = await caller.call({ method: 'GET', url: at(made.body['id']) })
  expect(Value.Check(Webhook, shown.body)).toBe(true)
  const { secret, ...rest } = made.body
  expect(shown.body).toEqual(rest)
  const listed = await caller.call({ method: 'GET', url: '/api/v1/webhooks' })
  expect(listed.text).not.toContain(secret)
})

test.each([
  ['http://hooks.example.com/', 'https'],
  ['ftp://hooks.example.com/', 'https'],
  ['https://hooks.example.com:8443/', 'port 443'],
  ['https://user:secret@hooks.example.com/', 'password'],
  ['https://user@hooks.example.com/', 'password'],
  ['https://hooks.example.com/#part', 'fragment'],
  ['https://127.0.0.1/', 'not an address'],
  ['https://203.0.113.7/', 'not an address'],
  ['https://127.1/hook', 'not an address'],
  ['https://0x7f000001/', 'not an address'],
  ['https://2130706433/', 'not an address'],
  ['https://[::1]/hook', 'not an address'],
  ['https://[::ffff:169.254.169.254]/', 'not an address'],
  ['https://localhost/hook', 'public internet'],
  ['https://redis/hook', 'public internet'],
  ['https://metadata.google.internal/', 'public internet'],
  ['https://printer.local/', 'public internet'],
  ['https://a.localhost/', 'public internet'],
  ['https://under_score.example.com/', 'public internet'],
  ['https://hooks.example.com./', 'public internet'],
  ['hooks.example.com', 'not a URL'],
])('the URL %s is rejected', async (url, reason) => {
  const caller = await api.openCaller()
  const refused = await create(caller, { url })
  expect([refused.status, refused.body['code']]).toEqual([422, 'webhook_url_rejected'])
  expect(refused.body['detail']).toContain(reason)
  expect(refused.body['errors']).toMatchObject([{ pointer: '/url' }])

  const { body } = await create(caller)
  const changed = await caller.call({ method: 'PATCH', url: at(body['id']), payload: { url } })
  expect([changed.status, changed.body['code']]).toEqual([422, 'webhook_url_rejected'])
})

test('a URL is stored in normalized form', async () => {
  const caller = await api.openCaller()
  const { body } = await create(caller, { url: 'HTTPS://Hooks.Example.COM:443/a b?c=d' })
  expect(body['url']).toBe('https://hooks.example.com/a%20b?c=d')
  const idn = await create(caller, { url: 'https://bücher.example.com/' })
  expect(idn.body['url']).toBe('https://xn--bcher-kva.example.com/')
})

test.each([
  ['no URL', {}],
  ['an unknown event', { url: URL, events: ['job.exploded'] }],
  ['no event type', { url: URL, events: [] }],
  ['a subscription to test events', { url: URL, events: ['webhook.test'] }],
  ['an event twice', { url: URL, events: ['job.failed', 'job.failed'] }],
  ['a description of 201 characters', { url: URL, description: 'd'.repeat(201) }],
  ['a secret of its own', { url: URL, secret: 'whsec_AAAA' }],
])('%s is rejected', async (_, payload) => {
  const refused = await create(await api.openCaller(), payload)
  expect([refused.status, refused.body['code']]).toEqual([400, 'invalid_request'])
})

test('an account has at most ten webhooks', async () => {
  const caller = await api.openCaller()
  for (let n = 0; n < 10; n += 1) expect((await create(caller)).status).toBe(201)
  const refused = await create(caller)
  expect([refused.status, refused.body['code']]).toEqual([409, 'too_many_webhooks'])
})

test('webhooks are listed newest first, in pages, with total and links', async () => {
  const caller = await api.openCaller()
  for (const description of ['one', 'two', 'three']) await create(caller, { url: URL, description })
  const page = await caller.call({ method: 'GET', url: '/api/v1/webhooks?skip=1&limit=1' })
  expect(Value.Check(WebhookList, page.body)).toBe(true)
  expect(page.body).toMatchObject([{ description: 'two' }])
  expect(page.headers['x-total-count']).toBe('3')
  expect(page.headers['link']).toContain('</api/v1/webhooks?skip=2&limit=1>; rel="next"')
})

test('PATCH changes the named fields and no others', async () => {
  const caller = await api.openCaller()
  const { body } = await create(caller, { url: URL, description: 'before', events: ['job.failed'] })
  const change = (payload: object) => caller.call({ method: 'PATCH', url: at(body['id']), payload })
  expect((await change({ description: 'after' })).body).toMatchObject({
    description: 'after',
    url: URL,
    events: ['job.failed'],
  })
  expect((await change({ events: ['*'] })).body).toMatchObject({ description: 'after', events: ['*'] })
  expect((await change({ enabled: false })).body).toMatchObject({ enabled: false, disabled_reason: 'by_owner' })
  expect((await change({ enabled: true })).body).toMatchObject({
    enabled: true,
    disabled_reason: null,
    disabled_at: null,
  })
  expect((await change({})).status).toBe(400)
})

test('a webhook without event types subscribes to all of them', async () => {
  const caller = await api.openCaller()
  const { body } = await create(caller, { url: URL })
  expect(body['events']).toEqual(['*'])
  await caller.call({ method: 'POST', url: '/api/v1/keys', payload: { name: 'Sign-up form' } })
  const listed = await caller.call({ method: 'GET', url: at(body['id'], '/deliveries') })
  expect(listed.body).toMatchObject([{ type: 'key.created' }])
})

test('an empty list of event types is rejected in a change, too', async () => {
  const caller = await api.openCaller()
  const { body } = await create(caller)
  const rejected = await caller.call({ method: 'PATCH', url: at(body['id']), payload: { events: [] } })
  expect([rejected.status, rejected.body['code']]).toEqual([400, 'invalid_request'])
})

test('a deleted webhook is not found', async () => {
  const caller = await api.openCaller()
  const { body } = await create(caller)
  const url = at(body['id'])
  expect((await caller.call({ method: 'DELETE', url })).status).toBe(204)
  for (const method of ['GET', 'DELETE'] as const) expect((await caller.call({ method, url })).status).toBe(404)
})

test('a rotation returns a new secret and the time until which the old one signs', async () => {
  const caller = await api.openCaller()
  const { body } = await create(caller)
  const rotated = await caller.call({ method: 'POST', url: at(body['id'], '/rotate') })
  expect(rotated.status).toBe(201)
  expect(Value.Check(WebhookWithSecret, rotated.body)).toBe(true)
  expect(rotated.body['secret']).not.toBe(body['secret'])
  expect(rotated.body['public_key']).not.toBe(body['public_key'])
  const hours = (Date.parse(String(rotated.body['previous_secret_expires_at'])) - Date.now()) / 3_600_000
  expect(hours).toBeGreaterThan(23.9)
  expect(hours).toBeLessThanOrEqual(24.01)
})

test('webhooks of live keys and test keys are separate', async () => {
  const live = await api.openCaller()
  const { body: made } = await live.call({
    method: 'POST',
    url: '/api/v1/keys',
    payload: { name: 't', livemode: false, scopes: ['webhooks:write'] },
  })
  const test: TestClient = {
    ...live,
    call: (request) => live.call({ ...request, headers: { 'x-api-key': String(made['key']) } }),
  }
  const { body: hook } = await create(live)
  const { body: sandbox } = await create(test)
  expect(sandbox['livemode']).toBe(false)
  expect((await test.call({ method: 'GET', url: at(hook['id']) })).status).toBe(404)
  expect((await live.call({ method: 'GET', url: at(sandbox['id']) })).status).toBe(404)
  expect((await test.call({ method: 'GET', url: '/api/v1/webhooks' })).body).toMatchObject([{ id: sandbox['id'] }])
})

test('a key without webhooks:write gets the name of the missing scope', async () => {
  const caller = await api.openCaller({
    key: { scopes: ['validations:write', 'jobs:write', 'account:read', 'keys:write'] },
  })
  const refused = await create(caller)
  expect([refused.status, refused.body['code']]).toEqual([403, 'missing_scope'])
  expect(refused.body['detail']).toContain('"webhooks:write"')
})

test('a webhook event is inserted in the transaction of its request', async () => {
  const caller = await api.openCaller()
  const { body } = await create(caller)
  const made = await caller.call({ method: 'POST', url: '/api/v1/keys', payload: { name: 'Sign-up form' } })
  await caller.call({ method: 'DELETE', url: `/api/v1/keys/${made.body['id']}` })
  const listed = await caller.call({ method: 'GET', url: at(body['id'], '/deliveries') })
  expect(listed.body).toMatchObject([{ type: 'key.revoked' }, { type: 'key.created' }])
  const { rows } = await asOwner(api.db, (trx) =>
    sql<{ body: string }>`select body from webhook_events where account_id = ${caller.accountId}`.execute(trx),
  )
  for (const row of rows) expect(row.body).not.toContain(String(made.body['key']))
})
