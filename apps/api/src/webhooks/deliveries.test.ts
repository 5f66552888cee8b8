import { randomUUID } from 'node:crypto'
import { Delivery, DeliveryDetail, DeliveryList } from '@probity/contract/schemas/webhooks/deliveries'
import { asOwner } from '@probity/database/connection/connect'
import { recordAttempt } from '@probity/database/webhooks/events'
import { attemptWith, claimAll } from '@probity/database/webhooks/test-webhooks'
import { sql } from 'kysely'
import Value from 'typebox/value'
import { expect, test, vi } from 'vitest'
import { startTestApi } from '../testing/test-api.ts'

const api = await startTestApi()

async function openHook() {
  const caller = await api.openCaller()
  const payload = { url: 'https://hooks.example.com/', description: 'Production' }
  const { body } = await caller.call({ method: 'POST', url: '/api/v1/webhooks', payload })
  const at = (rest: string) => `/api/v1/webhooks/${String(body['id'])}${rest}`
  const get = (rest: string) => caller.call({ method: 'GET', url: at(rest) })
  const post = (rest: string, payload?: object) =>
    caller.call({ method: 'POST', url: at(rest), ...(payload && { payload }) })
  const change = (payload: object) => caller.call({ method: 'PATCH', url: at(''), payload })
  const settle = async (kind: 'delivered' | 'given_up', status: number) => {
    for (const delivery of await claimAll(api.db, caller.accountId)) {
      await recordAttempt(api.db, delivery, { kind }, attemptWith(status))
    }
  }
  return { accountId: caller.accountId, id: String(body['id']), get, post, change, settle }
}

test('a test event is sent to its webhook only, regardless of the subscribed types', async () => {
  const { id, post, get, change } = await openHook()
  await change({ events: ['job.failed'] })
  const sent = await post('/test')
  expect(sent.status).toBe(202)
  expect(Value.Check(Delivery, sent.body)).toBe(true)
  expect(sent.body).toMatchObject({ webhook_id: id, type: 'webhook.test', status: 'pending', attempt_count: 0 })
  const { body } = await get(`/deliveries/${sent.body['id']}`)
  expect(body).toMatchObject({ request: { headers: {} }, attempts: [] })
  const event = JSON.parse(String((body['request'] as { body: string }).body))
  expect(event).toMatchObject({ type: 'webhook.test', livemode: true, data: { id, description: 'Production' } })
})

test('a test event for a webhook that is deleted concurrently returns 404', async () => {
  const { id, post } = await openHook()
  let sent: ReturnType<typeof post> | undefined
  await asOwner(api.db, async (trx) => {
    await sql`delete from webhook_endpoints where id = ${id}`.execute(trx)
    sent = post('/test')
    await vi.waitFor(async () => {
      const { rows } = await sql`
        select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(trx)
      expect(rows).toHaveLength(1)
    })
  })
  expect((await sent)?.status).toBe(404)
})

test('deliveries are listed newest first, in pages, by status and type, and the links keep the filter', async () => {
  const { post, get, settle } = await openHook()
  await post('/test')
  await settle('delivered', 200)
  await post('/test')
  await settle('given_up', 500)
  for (let n = 0; n < 3; n += 1) await post('/test')

  const all = await get('/deliveries')
  expect(Value.Check(DeliveryList, all.body)).toBe(true)
  expect((all.body as unknown as { status: string }[]).map(({ status }) => status)).toEqual([
    ...Array(3).fill('pending'),
    'failed',
    'delivered',
  ])
  const pending = await get('/deliveries?status=pending&type=webhook.test&limit=2')
  expect([pending.headers['x-total-count'], (pending.body as unknown as unknown[]).length]).toEqual(['3', 2])
  expect(pending.headers['link']).toMatch(/deliveries\?status=pending&type=webhook.test&skip=2&limit=2>; rel="next"/)
  expect((await get('/deliveries?type=job.completed')).body).toEqual([])
  expect((await get('/deliveries?status=lost')).status).toBe(400)
})

test('a delivery shows its request and the response', async () => {
  const { post, get, settle } = await openHook()
  const { body: sent } = await post('/test')
  await settle('delivered', 204)
  const { status, body } = await get(`/deliveries/${sent['id']}`)
  expect(status).toBe(200)
  expect(Value.Check(DeliveryDetail, body)).toBe(true)
  expect(body).toMatchObject({
    status: 'delivered',
    attempt_count: 1,
    retry_at: null,
    request: {
      headers: {
        'content-type': 'application/json',
        'webhook-id': sent['event_id'],
        'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
        'webhook-signature': 'v1,signature',
      },
    },
    attempts: [{ http_status: 204, error: null, duration_ms: 12 }],
  })
  expect((await get(`/deliveries/${randomUUID()}`)).status).toBe(404)
})

test('a delivery can be resent with the same event, also if it was delivered', async () => {
  const { post, settle } = await openHook()
  const { body: sent } = await post('/test')
  await settle('delivered', 200)
  const again = await post(`/deliveries/${sent['id']}/resend`)
  expect(again.status).toBe(202)
  expect(again.body).toMatchObject({ id: sent['id'], event_id: sent['event_id'], status: 'pending', attempt_count: 1 })
})

test('recover resends deliveries that failed since a time, and not the delivered ones', async () => {
  const { post, get, settle } = await openHook()
  for (let n = 0; n < 3; n += 1) await post('/test')
  await settle('given_up', 500)
  await post('/test')
  await settle('delivered', 200)
  const later = await post('/recover', { since_at: new Date(Date.now() + 60_000).toISOString() })
  expect([later.status, later.body]).toEqual([202, { count: 0 }])
  const recovered = await post('/recover', { since_at: '2026-01-01T00:00:00Z' })
  expect([recovered.status, recovered.body]).toEqual([202, { count: 3 }])
  expect((await get('/deliveries?status=pending')).headers['x-total-count']).toBe('3')
  expect((await post('/recover', { since_at: 'yesterday' })).status).toBe(400)
})

test('nothing is sent to a disabled webhook', async () => {
  const { post, change } = await openHook()
  const { body: sent } = await post('/test')
  await change({ enabled: false })
  for (const answer of [
    await post('/test'),
    await post(`/deliveries/${sent['id']}/resend`),
    await post('/recover', { since_at: '2026-01-01T00:00:00Z' }),
  ]) {
    expect([answer.status, answer.body['code']]).toEqual([409, 'webhook_disabled'])
  }
})

test('an event that has been deleted cannot be resent', async () => {
  const { accountId, post, get } = await openHook()
  const { body: sent } = await post('/test')
  await asOwner(api.db, (trx) =>
    sql`update webhook_events set body = null where account_id = ${accountId}`.execute(trx),
  )
  const refused = await post(`/deliveries/${sent['id']}/resend`)
  expect([refused.status, refused.body['code']]).toEqual([410, 'event_expired'])
  expect((await get(`/deliveries/${sent['id']}`)).body).toMatchObject({ request: { body: null } })
})
