import { createPublicKey, verify as verifyBytes } from 'node:crypto'
import { eventName } from '@probity/contract/constants/webhooks'
import { announceExpiredKeys, insertKey } from '@probity/database/accounts/keys'
import { asOwner, connect, inTenant } from '@probity/database/connection/connect'
import { openTestAccount } from '@probity/database/connection/test-database'
import { cancelJob } from '@probity/database/jobs/job-control'
import { confirmTestJob } from '@probity/database/jobs/test-jobs'
import { findCallback } from '@probity/database/webhooks/deliveries'
import { passTime } from '@probity/database/webhooks/test-webhooks'
import { getCallbackSecret, rotateSecret } from '@probity/database/webhooks/webhooks'
import { type Received, startReceiver } from '@probity/lab/webhooks/receiver'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { expect, test, vi } from 'vitest'
import { TRIES_MAX } from './processor.ts'
import { startHookWorld } from './test-webhooks.ts'

const world = await startHookWorld()
const honest = await world.openReceiver() // the first one chooses the port
const workers = [await world.startWorker()]

const SOON = { timeout: 15_000, interval: 50 }
const idsOf = (received: Received[]) => received.map(({ headers }) => headers['webhook-id'])
const verify = (secret: string, { body, headers }: Received) => new Webhook(secret).verify(body, headers)

/** Verifies the `v1a` signatures with the public key alone, as Standard Webhooks defines them. */
function isSignedBy(publicKey: string, { body, headers }: Received): boolean {
  const x = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  const content = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`)
  const signatures = String(headers['webhook-signature']).split(' ')
  return signatures.some(
    (one) => one.startsWith('v1a,') && verifyBytes(null, content, key, Buffer.from(one.slice('v1a,'.length), 'base64')),
  )
}

test('an event is delivered once, with a signature that the published library verifies, and is logged', async () => {
  const receiver = await world.openReceiver()
  const hook = await world.openHook(receiver.url, 'live')
  await hook.send()
  await vi.waitFor(async () => expect((await hook.latest()).state).toBe('delivered'), SOON)
  const [got, ...more] = receiver.received
  if (got === undefined) throw new Error('nothing arrived')
  expect(more).toEqual([])
  expect(verify(hook.secret, got)).toMatchObject({ type: 'webhook.test', livemode: true, data: { id: hook.id } })
  expect(() => verify(hook.secret, { ...got, body: got.body.replace('webhook.test', 'job.completed') })).toThrow()
  expect(JSON.parse(got.body)).toMatchObject({ id: got.headers['webhook-id'], api_version: 'v1' })
  expect(isSignedBy(hook.publicKey, got)).toBe(true)
  expect(isSignedBy(hook.publicKey, { ...got, body: `${got.body} ` })).toBe(false)
  const { eventId, body, tried } = await hook.latest()
  expect(got).toMatchObject({ path: '/hook', body })
  expect(got.headers).toMatchObject({
    host: receiver.name,
    'content-type': 'application/json',
    'user-agent': 'Probity-Webhooks/1',
    'webhook-id': eventName(eventId),
    'webhook-signature': tried[0]?.signature,
  })
  expect(tried).toMatchObject([{ status: 200, error: null }])
})

test('each of many events is delivered exactly once, at most four at a time', async () => {
  const receiver = await world.openReceiver()
  receiver.answer(() => new Promise((resolve) => setTimeout(() => resolve(204), 50)))
  const hook = await world.openHook(receiver.url)
  const [second] = await Promise.all([world.startWorker(), hook.send(60)])
  workers.push(second)
  await vi.waitFor(async () => expect((await hook.list()).every(({ state }) => state === 'delivered')).toBe(true), SOON)
  expect(new Set(idsOf(receiver.received)).size).toBe(60)
  expect(receiver.received.length).toBe(60)
  expect(receiver.counts.atOnceMax).toBe(4)
})

test('a failed delivery is retried with the same id and body and a new signature', async () => {
  const receiver = await world.openReceiver()
  const hook = await world.openHook(receiver.url)
  receiver.answer(() => (receiver.received.length < 3 ? 500 : 200))
  await hook.send()
  await vi.waitFor(async () => expect((await hook.latest()).state).toBe('delivered'), SOON)
  expect(new Set(idsOf(receiver.received)).size).toBe(1)
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
  for (const got of receiver.received) verify(hook.secret, got)
  expect((await hook.latest()).tried.map(({ status }) => status)).toEqual([500, 500, 200])
  expect(await hook.look()).toMatchObject({ failingSince: null })
})

test('a receiver that was down gets its events when it is up again', async () => {
  const receiver = await world.openReceiver()
  const hook = await world.openHook(receiver.url)
  await receiver.stop()
  const ids = await hook.send(2)
  await vi.waitFor(async () => expect((await hook.latest()).tried[0]?.error).toBe('refused'), SOON)
  const back = await startReceiver({ ...receiver, certificate: world.certificate })
  whenDone(() => back.stop())
  await vi.waitFor(async () => expect((await hook.list()).every(({ state }) => state === 'delivered')).toBe(true), SOON)
  expect(new Set(idsOf(back.received)).size).toBe(ids.length)
})

test('a receiver that does not respond times out after 15 seconds and delays no other', {
  tags: ['timed'],
}, async () => {
  const slow = await world.openReceiver()
  slow.answer(() => new Promise(() => {}))
  const [slowHook, quickHook] = [await world.openHook(slow.url), await world.openHook(honest.url)]
  await slowHook.send(100)
  await vi.waitFor(() => expect(slow.counts.atOnce).toBe(4), SOON)
  await quickHook.send(20)
  await vi.waitFor(
    async () => expect((await quickHook.list()).every(({ state }) => state === 'delivered')).toBe(true),
    SOON,
  )
  const tries = () =>
    asOwner(world.db, (trx) =>
      trx.selectFrom('webhookAttempts').selectAll().where('accountId', '=', slowHook.accountId).execute(),
    )
  await vi.waitFor(async () => expect((await tries()).length).toBeGreaterThanOrEqual(4), { timeout: 25_000 })
  for (const { error, durationMs } of await tries()) {
    expect(error).toBe('timeout')
    expect(durationMs).toBeGreaterThan(14_000)
    expect(durationMs).toBeLessThan(17_000)
  }
  await slowHook.tenant((trx) => sql`select disable_webhook(${slowHook.id}, 'by_owner')`.execute(trx))
})

test.each([301, 302, 303, 307, 308])('a redirect (%d) is a failure and is not followed', async (status) => {
  const inside = await world.openReceiver({ inside: true })
  const receiver = await world.openReceiver()
  const hook = await world.openHook(receiver.url)
  receiver.answer((_, response) => {
    response.writeHead(status, { location: `https://${inside.address}:${inside.port}/` }).end()
    return status
  })
  await hook.send()
  await vi.waitFor(async () => expect((await hook.latest()).tried.length).toBeGreaterThanOrEqual(2), SOON)
  expect((await hook.latest()).tried[0]).toMatchObject({ status, error: null })
  expect((await hook.latest()).state).toBe('pending')
  expect(inside.counts.connections).toBe(0)
})

test('a name that resolves to an internal address is not dialed', async () => {
  const inside = await world.openReceiver({ inside: true })
  const hook = await world.openHook(inside.url)
  await hook.send()
  await vi.waitFor(async () => expect((await hook.latest()).tried[0]?.error).toBe('not_routable'), SOON)
  expect(inside.counts.connections).toBe(0)
})

test('a name that changes from a public to an internal address is checked for each request, and the internal host sees no connection', async () => {
  const [receiver, inside] = [await world.openReceiver(), await world.openReceiver({ inside: true })]
  const name = 'rebinding.hooks.example'
  await world.dns.put({ [name]: { a: [receiver.address] } })
  receiver.answer(() => 500)
  const hook = await world.openHook(`https://${name}/`)
  await hook.send()
  await vi.waitFor(async () => expect((await hook.latest()).tried[0]?.status).toBe(500), SOON)
  const hurry = () => passTime(world.db, hook.accountId, 120)
  await world.dns.put({ [name]: { a: [inside.address] } })
  await vi.waitFor(async () => {
    await hurry()
    expect((await hook.latest()).tried.at(-1)?.error).toBe('not_routable')
  }, SOON)
  const before = receiver.received.length
  receiver.answer(() => 200)
  await world.dns.put({ [name]: { a: [inside.address, receiver.address] } })
  await hurry()
  await vi.waitFor(async () => expect((await hook.latest()).state).toBe('delivered'), SOON)
  expect(receiver.received.length).toBe(before + 1)
  expect(inside.counts.connections).toBe(0)
})

test('an endpoint that responds with 410 is disabled and gets no more events', async () => {
  const receiver = await world.openReceiver()
  const hook = await world.openHook(receiver.url)
  receiver.answer(() => 410)
  await hook.send()
  await vi.waitFor(async () => expect(await hook.look()).toMatchObject({ disabledReason: 'gone' }), SOON)
  expect(receiver.received.length).toBe(1)
  expect((await hook.list()).map(({ type, state }) => `${type} ${state}`).toSorted()).toEqual([
    'webhook.disabled failed',
    'webhook.test failed',
  ])
})

test('a Retry-After of the receiver is respected', async () => {
  const receiver = await world.openReceiver()
  const hook = await world.openHook(receiver.url)
  receiver.answer((_, response) => {
    response.writeHead(503, { 'retry-after': '4' }).end()
    return 503
  })
  await hook.send()
  await vi.waitFor(async () => expect((await hook.latest()).tried.length).toBe(1), SOON)
  const { nextAt, tried } = await hook.latest()
  const waitMs = (nextAt?.getTime() ?? 0) - Date.now()
  expect(tried[0]?.status).toBe(503)
  expect(waitMs).toBeGreaterThan(2_000) // the schedule alone would be a quarter of a second
  expect(waitMs).toBeLessThanOrEqual(4_000)
})

test('after a rotation both secrets verify a request, and after a day only the new one', async () => {
  const receiver = await world.openReceiver()
  const hook = await world.openHook(receiver.url)
  const rotated = await hook.tenant((trx) => rotateSecret(trx, hook.view, hook.id))
  await hook.send()
  await vi.waitFor(() => expect(receiver.received.length).toBe(1), SOON)
  await asOwner(world.db, (trx) =>
    sql`update webhook_endpoints set previous_until = clock_timestamp() where id = ${hook.id}`.execute(trx),
  )
  await hook.send()
  await vi.waitFor(() => expect(receiver.received.length).toBe(2), SOON)
  const [both, later] = receiver.received
  if (both === undefined || later === undefined || rotated === undefined) throw new Error('nothing arrived')
  for (const secret of [hook.secret, rotated.secret]) verify(secret, both)
  for (const key of [hook.publicKey, rotated.webhook.publicKey]) expect(isSignedBy(key, both)).toBe(true)
  verify(rotated.secret, later)
  expect(() => verify(hook.secret, later)).toThrow()
  expect(isSignedBy(rotated.webhook.publicKey, later)).toBe(true)
  expect(isSignedBy(hook.publicKey, later)).toBe(false)
})

test('the callback of a job is sent when the job ends, signed with the callback secret of the account', async () => {
  const receiver = await world.openReceiver()
  const { id: accountId } = await openTestAccount(world.db, 10)
  const view = { accountId, mode: 'live' as const }
  const { id } = await confirmTestJob(world.db, accountId, { uniqueCount: 1 })
  await asOwner(world.db, (trx) => sql`update jobs set callback_url = ${receiver.url} where id = ${id}`.execute(trx))
  const { secret } = await inTenant(world.db, accountId, async (trx) => {
    await cancelJob(trx, view, id)
    return getCallbackSecret(trx, view)
  })
  await vi.waitFor(() => expect(receiver.received.length).toBe(1), SOON)
  const [got] = receiver.received
  if (got === undefined) throw new Error('nothing arrived')
  expect(verify(secret, got)).toMatchObject({ type: 'job.canceled', data: { id } })
  expect(got.headers['webhook-signature']).not.toContain('v1a,')
  const find = () => inTenant(world.db, accountId, (trx) => findCallback(trx, view, id))
  await vi.waitFor(async () => expect(await find()).toMatchObject({ state: 'delivered', attempts: 1 }), SOON)
})

test('maintenance emits the event of a key that has expired', async () => {
  const receiver = await world.openReceiver()
  const hook = await world.openHook(receiver.url, 'live')
  const expiresAt = new Date(Date.now() - 1_000)
  const { key } = await hook.tenant((trx) =>
    insertKey(trx, hook.view.accountId, { mode: 'live', name: 'old', scopes: [], expiresAt }),
  )
  const types = () => receiver.received.map(({ body }) => JSON.parse(body) as { type: string; data: { id: string } })
  await vi.waitFor(() => expect(types()).toHaveLength(1), SOON) // key.created
  const db = connect(world.url, { connectionsMax: 1, programRole: 'probity_maintenance' })
  whenDone(() => db.destroy())
  await announceExpiredKeys(db, 100)
  await vi.waitFor(() => expect(types()).toHaveLength(2), SOON)
  expect(types()[1]).toMatchObject({ type: 'key.expired', data: { id: key.id } })
})

test('a delivery has at most ten attempts at the scheduled delays with 20 percent jitter: 75 hours in all', async () => {
  const hours = (n: number) => n * 3_600
  const table = [5, 60, 300, 1_800, hours(2), hours(6), hours(12), hours(24), hours(30)]
  const receiver = await world.openReceiver()
  receiver.answer(() => 500)
  const hook = await world.openHook(receiver.url, 'live')
  await hook.send()
  let total = 0
  for (const [n, delay] of table.entries()) {
    await vi.waitFor(async () => expect((await hook.latest()).tried.length).toBe(n + 1), SOON)
    const { nextAt, state } = await hook.latest()
    const [row] = await asOwner(world.db, (trx) =>
      sql<{ now: Date }>`select clock_timestamp() as now`.execute(trx).then(({ rows }) => rows),
    )
    const waitS = ((nextAt?.getTime() ?? 0) - (row?.now.getTime() ?? 0)) / 1_000
    expect([n, state, waitS > delay * 0.8 - 2, waitS <= delay * 1.2]).toEqual([n, 'pending', true, true])
    total += delay
    await passTime(world.db, hook.accountId, waitS)
  }
  await vi.waitFor(async () => expect((await hook.latest()).state).toBe('failed'), SOON)
  expect((await hook.latest()).tried.length).toBe(10)
  expect(new Set(idsOf(receiver.received)).size).toBe(1)
  expect(receiver.received.length).toBe(10)
  expect(total / 3_600).toBeGreaterThan(74)
  expect(total / 3_600).toBeLessThan(75)
})

test('in test mode retries are twenty times faster, and only events of test jobs are sent', async () => {
  const receiver = await world.openReceiver()
  const hook = await world.openHook(receiver.url, 'test')
  const job = await confirmTestJob(world.db, hook.accountId, { uniqueCount: 2, mode: 'test' })
  receiver.answer(() => 500)
  await inTenant(world.db, hook.accountId, (trx) => cancelJob(trx, hook.view, job.id))
  await vi.waitFor(async () => expect((await hook.latest()).tried.length).toBe(2), SOON)
  const { nextAt, body } = await hook.latest()
  expect(JSON.parse(body ?? '')).toMatchObject({ type: 'job.canceled', livemode: false, data: { id: job.id } })
  expect((nextAt?.getTime() ?? 0) - Date.now()).toBeLessThan(3_600) // a minute with 20 percent jitter, divided by twenty
})

test('an event whose body was deleted is not sent', async () => {
  const receiver = await world.openReceiver()
  const hook = await world.openHook(receiver.url)
  await asOwner(world.db, async (trx) => {
    await sql`select set_config('app.account_id', ${hook.accountId}, true)`.execute(trx)
    await sql`select emit_event('test', 'job.paused', '{}')`.execute(trx)
    await sql`update webhook_events set body = null where account_id = ${hook.accountId}`.execute(trx)
  })
  await vi.waitFor(async () => expect((await hook.latest()).state).toBe('failed'), SOON)
  expect((await hook.latest()).tried).toMatchObject([{ error: 'event_expired' }])
  expect(receiver.received).toEqual([])
})

test.for([
  { begun: 2 * TRIES_MAX - 1, error: null, requests: 1 },
  { begun: 2 * TRIES_MAX, error: 'not_finished', requests: 0 },
])('a delivery of which $begun attempts began causes $requests more requests', async ({ begun, error, requests }) => {
  const receiver = await world.openReceiver()
  const hook = await world.openHook(receiver.url)
  await asOwner(world.db, async (trx) => {
    await sql`select set_config('app.account_id', ${hook.accountId}, true)`.execute(trx)
    await sql`select emit_event('test', 'job.paused', '{}')`.execute(trx)
    await sql`update webhook_deliveries set attempts_begun = ${begun} where account_id = ${hook.accountId}`.execute(trx)
  })
  await vi.waitFor(async () => expect((await hook.latest()).state).toBe(error ? 'failed' : 'delivered'), SOON)
  expect((await hook.latest()).tried).toMatchObject([{ error }])
  expect(receiver.received).toHaveLength(requests)
})

test('a worker that stops completes requests in progress and stores their outcomes', async () => {
  const receiver = await world.openReceiver()
  const hook = await world.openHook(receiver.url)
  let release = () => {}
  receiver.answer(() => new Promise((resolve) => (release = () => resolve(200))))
  await hook.send()
  await vi.waitFor(() => expect(receiver.counts.atOnce).toBe(1), SOON)
  const stopped = Promise.all(workers.map((worker) => worker.stop()))
  release()
  await stopped
  expect(await hook.latest()).toMatchObject({ state: 'delivered', attempts: 1 })
})
