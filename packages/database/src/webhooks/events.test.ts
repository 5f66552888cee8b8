import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { updateAccount, updateRetention } from '../accounts/accounts.ts'
import { insertKey, revokeKey } from '../accounts/keys.ts'
import { postCredits } from '../billing/ledger.ts'
import { asOwner, inTenant } from '../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { claimBatch, dispatchBatches } from '../jobs/batches.ts'
import { cancelJob, pauseJob, resumeJob } from '../jobs/job-control.ts'
import { findJob } from '../jobs/jobs.ts'
import { claimPlan, failPlan } from '../jobs/planning.ts'
import { presentJob } from '../jobs/present-job.ts'
import { settleBatch } from '../jobs/settle-batches.ts'
import { confirmTestJob, finalRows, planTestJob, startTestWorker } from '../jobs/test-jobs.ts'
import { endExpired, keepPartitions } from '../system/retention.ts'
import { letExpire } from '../system/test-expiry.ts'
import { deferResult, finishValidation, openValidations } from '../validations/validations.ts'
import { listDeliveries, resendDelivery } from './deliveries.ts'
import { emitEvent, recordAttempt } from './events.ts'
import { attemptWith, claimAll, openTestWebhook, readEvents } from './test-webhooks.ts'

const { db } = await createTestDatabase()

async function openCustomer({ credits = 1_000, retentionDays = 30 } = {}) {
  const { id: accountId } = await openTestAccount(db, credits)
  await asOwner(db, (trx) => updateRetention(trx, accountId, retentionDays))
  const view = { accountId, mode: 'live' as const }
  return { accountId, view, events: () => readEvents(db, accountId) }
}

async function finishOpen(accountId: string, result: object, conclusive: boolean) {
  const row = { id: randomUUID(), email: 'ann@example.com', emailKey: 'ann@example.com' }
  await inTenant(db, accountId, async (trx) => {
    const opened = await openValidations(trx, { accountId, keyId: null, retentionDays: 30, group: row.id }, [row])
    if (opened.kind !== 'opened' || opened.refs[0] === undefined) throw new Error('not opened')
    await deferResult(trx, opened.refs[0])
    await finishValidation(trx, opened.refs[0], { conclusive, result })
  })
  return row.id
}

test('without an endpoint no event is stored', async () => {
  const { accountId, view, events } = await openCustomer()
  await inTenant(db, accountId, (trx) => insertKey(trx, accountId, { mode: 'live', name: 'key', scopes: [] }))
  expect(await events()).toEqual([])
  await openTestWebhook(db, { ...view, mode: 'test' })
  await openTestWebhook(db, view, { events: ['job.completed'] })
  await inTenant(db, accountId, (trx) => insertKey(trx, accountId, { mode: 'live', name: 'key', scopes: [] }))
  expect(await events()).toEqual([])
})

test('an event and its cause are committed together or not at all', async () => {
  const { accountId, view, events } = await openCustomer()
  await openTestWebhook(db, view)
  const failing = inTenant(db, accountId, async (trx) => {
    await insertKey(trx, accountId, { mode: 'live', name: 'key', scopes: [] })
    throw new Error('planted')
  })
  await expect(failing).rejects.toThrow('planted')
  expect(await events()).toEqual([])
})

test('an event is delivered to every subscribed endpoint of its mode and to no other', async () => {
  const { accountId, view, events } = await openCustomer()
  await openTestWebhook(db, view)
  await openTestWebhook(db, view, { events: ['key.created', 'job.failed'] })
  await openTestWebhook(db, view, { events: ['job.failed'] })
  await openTestWebhook(db, { ...view, mode: 'test' })
  const { key } = await inTenant(db, accountId, (trx) =>
    insertKey(trx, accountId, { mode: 'live', name: 'Sign-up form', scopes: ['jobs:write'] }),
  )
  expect(await events()).toMatchObject([{ type: 'key.created', mode: 'live', deliveries: 2, daysLeft: 30 }])
  const [event] = await events()
  expect(event?.body).toEqual({
    id: `evt_${event?.id}`,
    type: 'key.created',
    api_version: 'v1',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    livemode: true,
    data: {
      ...{ id: key.id, name: 'Sign-up form', livemode: true, hint: key.hint, scopes: ['jobs:read', 'jobs:write'] },
      ...{ created_at: key.createdAt.toISOString(), expires_at: null, paused_at: null, revoked_at: null },
      ...{ replaces_key_id: null, replaced_by_key_id: null },
    },
  })
})

test('revoking a key emits one event, even if it is revoked again', async () => {
  const { accountId, view, events } = await openCustomer()
  await openTestWebhook(db, { ...view, mode: 'test' })
  const { key } = await inTenant(db, accountId, (trx) =>
    insertKey(trx, accountId, { mode: 'test', name: 'key', scopes: [] }),
  )
  const revoke = () => inTenant(db, accountId, (trx) => revokeKey(trx, { accountId }, key.id))
  const first = await revoke()
  expect((await revoke())?.revokedAt).toEqual(first?.revokedAt)
  expect((await events()).map(({ type, body }) => [type, body.livemode])).toEqual([
    ['key.created', false],
    ['key.revoked', false],
  ])
})

test('the event that ends a job is emitted in the same transaction, with the job as in the API', async () => {
  const { accountId, view, events } = await openCustomer()
  await openTestWebhook(db, view)
  const { id } = await planTestJob(db, accountId, [{ size: 2 }, { size: 1 }])
  const worker = await startTestWorker(db, 8)
  for (const released of await dispatchBatches(db, [])) {
    expect(await events()).toEqual([])
    const batch = await claimBatch(db, worker, released)
    if (batch) await settleBatch(db, batch, { final: finalRows(batch), later: [] })
  }
  const job = await inTenant(db, accountId, (trx) => findJob(trx, view, id))
  const [event, ...more] = await events()
  expect(more).toEqual([])
  expect(event?.body).toMatchObject({ type: 'job.completed', livemode: true, data: { id, status: 'completed' } })
  expect(event?.body.data).toEqual(job && JSON.parse(JSON.stringify(presentJob(job))))
  expect(JSON.stringify(event)).not.toContain('@')
})

test('pausing, resuming and canceling a job emit one event each', async () => {
  const { accountId, view, events } = await openCustomer()
  await openTestWebhook(db, view)
  const { id } = await confirmTestJob(db, accountId, { uniqueCount: 3 })
  for (const control of [pauseJob, pauseJob, resumeJob, resumeJob, cancelJob, cancelJob]) {
    await inTenant(db, accountId, (trx) => control(trx, view, id))
  }
  expect((await events()).map(({ body }) => [body.type, body.data.status])).toEqual([
    ['job.paused', 'paused'],
    ['job.resumed', 'queued'],
    ['job.canceled', 'canceled'],
  ])
})

test('a job that cannot be planned or expires unfinished emits job.failed', async () => {
  const { accountId, view, events } = await openCustomer()
  await openTestWebhook(db, view)
  await confirmTestJob(db, accountId, { uniqueCount: 1 })
  const job = await claimPlan(db, randomUUID())
  if (job) await failPlan(db, job)
  await confirmTestJob(db, accountId, { uniqueCount: 1 })
  await asOwner(db, (trx) =>
    sql`update jobs set expires_on = utc_today() - 1 where account_id = ${accountId} and finished_at is null`.execute(
      trx,
    ),
  )
  await endExpired(db)
  expect((await events()).map(({ body }) => [body.type, body.data.status])).toEqual([
    ['job.failed', 'failed'],
    ['job.failed', 'failed'],
  ])
})

test('a deferred validation emits an event when it ends, conclusive or not, and others emit none', async () => {
  const { accountId, view, events } = await openCustomer({ retentionDays: 7 })
  await openTestWebhook(db, view)
  const first = await finishOpen(accountId, { email: 'ann@example.com', status: 'valid' }, true)
  const second = await finishOpen(accountId, { email: 'ann@example.com', status: 'unknown' }, false)
  await inTenant(db, accountId, async (trx) => {
    const row = { id: randomUUID(), email: 'bo@example.com', emailKey: 'bo@example.com' }
    const opened = await openValidations(trx, { accountId, keyId: null, retentionDays: 7, group: row.id }, [row])
    if (opened.kind === 'opened' && opened.refs[0]) {
      await finishValidation(trx, opened.refs[0], { conclusive: true, result: { status: 'valid' } })
    }
  })
  expect(await events()).toMatchObject([
    {
      daysLeft: 7,
      body: { type: 'validation.resolved', data: { id: first, email: 'ann@example.com', status: 'valid' } },
    },
    { daysLeft: 7, body: { type: 'validation.resolved', data: { id: second, status: 'unknown' } } },
  ])
})

test('a result that is too long is emitted without its evidence, or with its id alone', async () => {
  const { accountId, view, events } = await openCustomer()
  await openTestWebhook(db, view)
  await finishOpen(accountId, { status: 'valid', evidence: ['x'.repeat(30_000)] }, true)
  const id = await finishOpen(accountId, { status: 'valid', note: 'x'.repeat(30_000) }, true)
  const bodies = (await events()).map(({ body }) => body.data)
  expect(bodies[0]).toMatchObject({ status: 'valid', evidence: [], evidence_omitted: true })
  expect(bodies[1]).toEqual({ id, omitted: true })
})

test('credits.low is emitted once when the balance falls below the threshold, and again after it was above', async () => {
  const { accountId, view, events } = await openCustomer({ credits: 1_000 })
  await openTestWebhook(db, view)
  const post = (kind: 'grant' | 'charge', credits: number) =>
    inTenant(db, accountId, (trx) => postCredits(trx, { kind, credits, subject: randomUUID() }))
  await post('charge', 900)
  expect(await events()).toEqual([]) // a tenth of the grant is left, which is not below it
  for (let n = 0; n < 3; n += 1) await post('charge', 1)
  expect((await events()).map(({ body }) => body.data)).toEqual([{ available: 99, threshold: 100, reserved: 0 }])

  await post('grant', 500) // now a tenth is 50
  await post('charge', 540)
  expect((await events()).length).toBe(1)
  await post('charge', 10)
  expect((await events())[1]?.body.data).toMatchObject({ available: 47, threshold: 50 })

  await inTenant(db, accountId, (trx) => updateAccount(trx, accountId, { lowCredits: 40 }))
  await post('charge', 1)
  await post('charge', 7)
  expect((await events())[2]?.body.data).toMatchObject({ available: 39, threshold: 40 })
  expect((await events()).length).toBe(3)
})

test('an unlimited account is never low on credits, and a rolled-back transaction emits nothing', async () => {
  const { id: accountId } = await openTestAccount(db, 0, { unlimited: true })
  const view = { accountId, mode: 'live' as const }
  await openTestWebhook(db, view)
  await inTenant(db, accountId, (trx) => postCredits(trx, { kind: 'charge', credits: 5, subject: randomUUID() }))
  expect(await readEvents(db, accountId)).toEqual([])

  const limited = await openCustomer({ credits: 100 })
  await openTestWebhook(db, limited.view)
  const refused = inTenant(db, limited.accountId, async (trx) => {
    await postCredits(trx, { kind: 'charge', credits: 99, subject: randomUUID() })
    throw new Error('planted')
  })
  await expect(refused).rejects.toThrow('planted')
  expect(await limited.events()).toEqual([])
})

test('an account without retention keeps the body of an event until its delivery, and then only the log entry', async () => {
  const { accountId, view, events } = await openCustomer({ retentionDays: 0 })
  const [first] = [await openTestWebhook(db, view), await openTestWebhook(db, view)]
  await finishOpen(accountId, { email: 'ann@example.com', status: 'valid' }, true)
  expect(await events()).toMatchObject([{ daysLeft: 1, deliveries: 2 }])
  const claimed = await claimAll(db, accountId)
  expect(claimed.length).toBe(2)
  for (const [n, delivery] of claimed.entries()) {
    expect((await events())[0]?.body).not.toBeNull()
    const outcome = n === 0 ? ({ kind: 'delivered' } as const) : ({ kind: 'given_up' } as const)
    await recordAttempt(db, delivery, outcome, attemptWith(n === 0 ? 200 : 500))
  }
  expect((await events())[0]?.body).toBeNull()
  const resent = await inTenant(db, accountId, async (trx) => {
    const listed = await listDeliveries(trx, view, first.id, { skip: 0, limit: 10 })
    return resendDelivery(trx, view, { webhookId: first.id, deliveryId: listed?.deliveries[0]?.id ?? '' })
  })
  expect(resent).toEqual({ kind: 'removed' })
})

test('events are kept for at most thirty days, and those without an address long enough for all attempts', async () => {
  const long = await openCustomer({ retentionDays: 40 })
  const short = await openCustomer({ retentionDays: 1 })
  for (const { accountId, view } of [long, short]) {
    await openTestWebhook(db, view)
    await inTenant(db, accountId, async (trx) => {
      await emitEvent(trx, { mode: 'live', type: 'job.paused', data: () => ({}) })
      await emitEvent(trx, { mode: 'live', type: 'validation.resolved', data: () => ({}), holdsAddress: true })
    })
  }
  expect((await long.events()).map(({ daysLeft }) => daysLeft)).toEqual([30, 30])
  expect((await short.events()).map(({ daysLeft }) => daysLeft)).toEqual([4, 1])
})

test('events are deleted when they expire, with their deliveries', async () => {
  const { accountId, view, events } = await openCustomer()
  const { id } = await openTestWebhook(db, view)
  await finishOpen(accountId, { email: 'ann@example.com', status: 'valid' }, true)
  await letExpire(db, accountId)
  await keepPartitions(db)
  expect(await events()).toEqual([])
  const left = await inTenant(db, accountId, (trx) => listDeliveries(trx, view, id, { skip: 0, limit: 10 }))
  expect(left).toEqual({ deliveries: [], total: 0 })
})
