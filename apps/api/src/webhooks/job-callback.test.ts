import { DeliveryDetail } from '@probity/contract/schemas/webhooks/deliveries'
import { CallbackSecret } from '@probity/contract/schemas/webhooks/endpoints'
import { WEBHOOK_BODIES } from '@probity/contract/schemas/webhooks/events'
import { asOwner } from '@probity/database/connection/connect'
import { recordAttempt } from '@probity/database/webhooks/events'
import { attemptWith, claimAll } from '@probity/database/webhooks/test-webhooks'
import { sql } from 'kysely'
import Value from 'typebox/value'
import { expect, test } from 'vitest'
import { startTestApi, type TestClient } from '../testing/test-api.ts'
import { csvOf, emailsOf, uploadList } from '../testing/test-jobs.ts'

const api = await startTestApi()
const URL = 'https://hooks.example.com/jobs'

async function confirm(caller: TestClient, payload: object = { callback_url: URL }) {
  const upload_id = await uploadList(caller, csvOf(emailsOf(2)))
  return caller.call({
    method: 'POST',
    url: '/api/v1/bulk/upload/confirm',
    payload: { upload_id, email_column: 'email', ...payload },
  })
}

const at = (id: unknown, rest: string) => `/api/v1/bulk/jobs/${String(id)}${rest}`

test('a job with a callback URL shows it, and delivers the event that ends it', async () => {
  const caller = await api.openCaller({ credits: 10 })
  const { status, body: job } = await confirm(caller)
  expect(status).toBe(201)
  expect((await caller.call({ method: 'GET', url: at(job['id'], '') })).body).toMatchObject({ callback_url: URL })
  expect((await caller.call({ method: 'GET', url: at(job['id'], '/callback') })).status).toBe(404)
  await caller.call({ method: 'POST', url: at(job['id'], '/cancel') })
  const { body: secret } = await caller.call({ method: 'GET', url: '/api/v1/account/callback-secret' })
  const deliveries = await claimAll(api.db, caller.accountId)
  expect(deliveries).toMatchObject([{ url: URL, secret: secret['secret'] }])
  for (const delivery of deliveries) await recordAttempt(api.db, delivery, { kind: 'delivered' }, attemptWith(200))

  const { body } = await caller.call({ method: 'GET', url: at(job['id'], '/callback') })
  expect(Value.Check(DeliveryDetail, body)).toBe(true)
  expect(body).toMatchObject({ webhook_id: null, type: 'job.canceled', status: 'delivered', attempt_count: 1 })
  const event = JSON.parse(String((body['request'] as { body: string }).body))
  expect([...Value.Errors(WEBHOOK_BODIES['job.canceled'], event)]).toEqual([])
  expect(event).toMatchObject({ id: body['event_id'], data: { id: job['id'], status: 'canceled' } })
})

test('a callback is resent on request', async () => {
  const caller = await api.openCaller({ credits: 10 })
  const { body: job } = await confirm(caller)
  const resend = () => caller.call({ method: 'POST', url: at(job['id'], '/callback/resend') })
  expect((await resend()).status).toBe(404)
  await caller.call({ method: 'POST', url: at(job['id'], '/cancel') })
  for (const delivery of await claimAll(api.db, caller.accountId)) {
    await recordAttempt(api.db, delivery, { kind: 'given_up' }, attemptWith(500))
  }
  const resent = await resend()
  expect([resent.status, resent.body['status'], resent.body['attempt_count']]).toEqual([202, 'pending', 1])
  await asOwner(api.db, (trx) =>
    sql`update webhook_events set body = null where account_id = ${caller.accountId}`.execute(trx),
  )
  const expired = await resend()
  expect([expired.status, expired.body['code']]).toEqual([410, 'event_expired'])
})

test.each([
  'http://hooks.example.com/',
  'https://127.0.0.1/',
  'https://hooks.example.com:8443/',
  'https://metadata.google.internal/',
])('the callback URL %s is rejected, and no job is created', async (url) => {
  const caller = await api.openCaller({ credits: 10 })
  const rejected = await confirm(caller, { callback_url: url })
  expect([rejected.status, rejected.body['code']]).toEqual([422, 'webhook_url_rejected'])
  expect(rejected.body['errors']).toMatchObject([{ pointer: '/callback_url' }])
  expect((await caller.call({ method: 'GET', url: '/api/v1/bulk/jobs' })).body).toEqual([])
})

test('a job without callback URL shows null', async () => {
  const caller = await api.openCaller({ credits: 10 })
  const { body: job } = await confirm(caller, {})
  expect((await caller.call({ method: 'GET', url: at(job['id'], '') })).body).toMatchObject({ callback_url: null })
})

test('a confirmed upload emits job.created, once', async () => {
  const caller = await api.openCaller({ credits: 10 })
  const { body: hook } = await caller.call({ method: 'POST', url: '/api/v1/webhooks', payload: { url: URL } })
  const upload_id = await uploadList(caller, csvOf(emailsOf(2)))
  const payload = { upload_id, email_column: 'email' }
  for (const _ of [1, 2]) await caller.call({ method: 'POST', url: '/api/v1/bulk/upload/confirm', payload })
  const { rows } = await asOwner(api.db, (trx) =>
    sql<{ body: string }>`select body from webhook_events where account_id = ${caller.accountId}`.execute(trx),
  )
  expect(rows).toHaveLength(1)
  const event = JSON.parse(rows[0]?.body ?? '')
  expect([...Value.Errors(WEBHOOK_BODIES['job.created'], event)]).toEqual([])
  expect(event.data).toMatchObject({ status: 'queued', done_count: 0 })
  const listed = await caller.call({ method: 'GET', url: `/api/v1/webhooks/${hook['id']}/deliveries` })
  expect(listed.body).toMatchObject([{ type: 'job.created', event_id: event.id }])
})

test('the callback secret of each mode can be read and rotated, and stays the same otherwise', async () => {
  const caller = await api.openCaller()
  const read = async (key = caller.key) =>
    (await caller.call({ method: 'GET', url: '/api/v1/account/callback-secret', headers: { 'x-api-key': key } })).body
  const before = await read()
  expect(Value.Check(CallbackSecret, before)).toBe(true)
  expect(before).toMatchObject({ livemode: true, previous_secret_expires_at: null })
  expect(await read()).toEqual(before)
  const payload = { name: 't', livemode: false, scopes: ['webhooks:write'] }
  const { body: made } = await caller.call({ method: 'POST', url: '/api/v1/keys', payload })
  const sandbox = await read(String(made['key']))
  expect(sandbox).toMatchObject({ livemode: false })
  expect(sandbox['secret']).not.toBe(before['secret'])

  const rotated = await caller.call({ method: 'POST', url: '/api/v1/account/callback-secret/rotate' })
  expect(rotated.status).toBe(201)
  expect(rotated.body['secret']).not.toBe(before['secret'])
  expect(Date.parse(String(rotated.body['previous_secret_expires_at']))).toBeGreaterThan(Date.now())
  expect(await read()).toEqual(rotated.body)
  expect(await read(String(made['key']))).toEqual(sandbox)
  const { rows } = await asOwner(api.db, (trx) =>
    sql`select action, changes from audit_entries where account_id = ${caller.accountId} and action like 'callback%'`.execute(
      trx,
    ),
  )
  expect(rows).toEqual([{ action: 'callback_secret.rotated', changes: { secret: null } }])
})

test('a key without the scope cannot read the callback secret', async () => {
  const caller = await api.openCaller({ key: { scopes: ['jobs:write', 'account:read'] } })
  const rejected = await caller.call({ method: 'GET', url: '/api/v1/account/callback-secret' })
  expect([rejected.status, rejected.body['code']]).toEqual([403, 'missing_scope'])
})
