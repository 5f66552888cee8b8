import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { listAlerts } from '../accounts/alerts.ts'
import { asOwner, inTenant } from '../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { cancelJob, pauseJob, removeJob } from '../jobs/job-control.ts'
import { confirmTestJob } from '../jobs/test-jobs.ts'
import { keepPartitions } from '../system/retention.ts'
import { findCallback, resendCallback } from './deliveries.ts'
import { recordAttempt } from './events.ts'
import { attemptWith, claimAll, openTestWebhook, passTime, readEvents } from './test-webhooks.ts'
import { getCallbackSecret, listWebhooks, rotateCallbackSecret } from './webhooks.ts'

const { db } = await createTestDatabase()
const URL = 'https://hooks.example.com/jobs'

async function openJob({ callbackUrl = URL as string | null } = {}) {
  const { id: accountId } = await openTestAccount(db, 100)
  const view = { accountId, mode: 'live' as const }
  const tenant = <T>(work: Parameters<typeof inTenant<T>>[2]) => inTenant(db, accountId, work)
  const { id } = await confirmTestJob(db, accountId, { uniqueCount: 1 })
  await asOwner(db, (trx) => sql`update jobs set callback_url = ${callbackUrl} where id = ${id}`.execute(trx))
  await tenant((trx) => getCallbackSecret(trx, view))
  return {
    ...{ accountId, id, view, tenant },
    pause: () => tenant((trx) => pauseJob(trx, view, id)),
    cancel: () => tenant((trx) => cancelJob(trx, view, id)),
    find: () => tenant((trx) => findCallback(trx, view, id)),
    claim: () => claimAll(db, accountId),
  }
}

test('the event that ends a job is delivered to its callback URL without a webhook, other events are not', async () => {
  const { accountId, id, pause, cancel, find, claim } = await openJob()
  await pause()
  expect(await readEvents(db, accountId)).toEqual([])
  expect(await find()).toBeUndefined()
  await cancel()
  expect(await find()).toMatchObject({ type: 'job.canceled', state: 'pending', tried: [] })
  const claimed = await claim()
  expect(claimed).toMatchObject([{ url: URL, type: 'job.canceled', privateKey: null, previousPrivateKey: null }])
  expect(JSON.parse(claimed[0]?.body ?? '')).toMatchObject({ type: 'job.canceled', data: { id, callback_url: URL } })
})

test('a job without callback URL delivers nothing', async () => {
  const { accountId, cancel, find } = await openJob({ callbackUrl: null })
  await cancel()
  expect(await find()).toBeUndefined()
  expect(await readEvents(db, accountId)).toEqual([])
})

test('a webhook and a callback receive the same event, and the callback receives no event of another job', async () => {
  const { accountId, view, cancel, tenant, claim } = await openJob()
  await openTestWebhook(db, view)
  await cancel()
  expect(await readEvents(db, accountId)).toMatchObject([{ type: 'job.canceled', deliveries: 2 }])
  const other = await confirmTestJob(db, accountId, { uniqueCount: 1 })
  await tenant((trx) => cancelJob(trx, view, other.id))
  expect((await readEvents(db, accountId))[1]).toMatchObject({ type: 'job.canceled', deliveries: 1 })
  const urls = (await claim()).map(({ url }) => url)
  expect(urls.filter((url) => url === URL)).toHaveLength(1)
})

test('a callback is signed with the secret of the account, and after a rotation with the previous one, too', async () => {
  const { view, cancel, tenant, claim } = await openJob()
  const before = await tenant((trx) => getCallbackSecret(trx, view))
  expect(await tenant((trx) => getCallbackSecret(trx, view))).toEqual(before)
  const other = await tenant((trx) => getCallbackSecret(trx, { ...view, mode: 'test' }))
  expect(other.secret).not.toBe(before.secret)
  const after = await tenant((trx) => rotateCallbackSecret(trx, view))
  expect(after.secret).not.toBe(before.secret)
  expect((after.previousUntil?.getTime() ?? 0) - Date.now()).toBeGreaterThan(23.9 * 3_600_000)
  await cancel()
  expect(await claim()).toMatchObject([{ secret: after.secret, previousSecret: before.secret }])
})

test('a previous secret that has expired no longer signs', async () => {
  const { accountId, view, cancel, tenant, claim } = await openJob()
  const { secret } = await tenant((trx) => rotateCallbackSecret(trx, view))
  await asOwner(db, (trx) =>
    sql`update callback_secrets set previous_until = clock_timestamp() where account_id = ${accountId}`.execute(trx),
  )
  await cancel()
  expect(await claim()).toMatchObject([{ secret, previousSecret: null }])
})

test('a failed callback appears in no webhook list and no alert, and 410 disables nothing', async () => {
  const { accountId, view, cancel, find, tenant, claim } = await openJob()
  await cancel()
  for (const delivery of await claim()) await recordAttempt(db, delivery, { kind: 'gone' }, attemptWith(410))
  expect(await find()).toMatchObject({ state: 'failed', attempts: 1, tried: [{ status: 410 }] })
  expect(await tenant((trx) => listWebhooks(trx, view, { skip: 0, limit: 10 }))).toEqual({ webhooks: [], total: 0 })
  expect(await tenant((trx) => listAlerts(trx, view, 10))).toEqual([])
  expect((await readEvents(db, accountId)).map(({ type }) => type)).toEqual(['job.canceled'])
  const { rows } = await asOwner(db, (trx) =>
    sql`select from audit_entries where account_id = ${accountId} and action like 'webhook.%'`.execute(trx),
  )
  expect(rows).toEqual([])
})

test('a callback is resent with the same event', async () => {
  const { accountId, id, view, cancel, find, tenant, claim } = await openJob()
  await cancel()
  for (const delivery of await claim()) await recordAttempt(db, delivery, { kind: 'delivered' }, attemptWith(200))
  const before = await find()
  expect(await tenant((trx) => resendCallback(trx, view, id))).toEqual({ kind: 'sent', count: 1 })
  expect(await find()).toMatchObject({ id: before?.id, eventId: before?.eventId, state: 'pending' })
  await passTime(db, accountId, 1)
  expect(await claim()).toHaveLength(1)
})

test('a callback is deleted with its job, and when its event has expired', async () => {
  const deleted = await openJob()
  await deleted.cancel()
  await deleted.tenant((trx) => removeJob(trx, deleted.view, deleted.id))
  const expired = await openJob()
  await expired.cancel()
  await asOwner(db, (trx) =>
    sql`update webhook_deliveries set expires_on = utc_today() - 1 where account_id = ${expired.accountId}`.execute(
      trx,
    ),
  )
  await keepPartitions(db)
  const { rows } = await asOwner(db, (trx) =>
    sql`select from webhook_endpoints where account_id in (${deleted.accountId}, ${expired.accountId})`.execute(trx),
  )
  expect(rows).toEqual([])
})
