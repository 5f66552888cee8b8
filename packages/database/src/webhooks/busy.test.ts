import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { insertKey, revokeKey } from '../accounts/keys.ts'
import { asOwner, inTenant } from '../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { recoverDeliveries, resendDelivery } from './deliveries.ts'
import { claimDelivery, dispatchDeliveries, recordAttempt } from './events.ts'
import { attemptWith, openTestWebhook } from './test-webhooks.ts'
import { insertWebhook, removeWebhook, rotateSecret, updateWebhook } from './webhooks.ts'

const { db } = await createTestDatabase()
const BUSY_MS = 6_000

test('concurrent changes, failures and recoveries of endpoints neither deadlock nor lose an event', async () => {
  const { id: accountId } = await openTestAccount(db, 0)
  const view = { accountId, mode: 'live' as const }
  const steady = await openTestWebhook(db, view)
  const shaky = await openTestWebhook(db, view)
  const tenant = <T>(work: Parameters<typeof inTenant<T>>[2]) => inTenant(db, accountId, work)
  const until = performance.now() + BUSY_MS
  const repeat = async (work: () => Promise<unknown>) => {
    let rounds = 0
    for (; performance.now() < until; rounds += 1) await work()
    return rounds
  }
  const seen = new Set<string>()

  async function workOff(): Promise<void> {
    for (const released of await dispatchDeliveries(db, 100)) {
      const delivery = await claimDelivery(db, released, 30)
      if (delivery === undefined) continue
      const fails = delivery.url !== steady.url && Math.random() < 0.7
      if (!fails) seen.add(`${delivery.secret === steady.secret} ${delivery.eventId}`)
      const failure = Math.random() < 0.05 ? ({ kind: 'gone' } as const) : ({ kind: 'again', afterMs: 1 } as const)
      await recordAttempt(db, delivery, fails ? failure : { kind: 'delivered' }, attemptWith(fails ? 500 : 200))
    }
  }
  async function makeEvents(): Promise<void> {
    const { key } = await tenant((trx) => insertKey(trx, accountId, { mode: 'live', name: 'k', scopes: [] }))
    await tenant((trx) => revokeKey(trx, view, key.id))
  }
  async function comeAndGo(): Promise<void> {
    const made = await tenant((trx) => insertWebhook(trx, view, { url: 'https://brief.example.com/' }))
    await makeEvents()
    if (made) await tenant((trx) => removeWebhook(trx, view, made.webhook.id))
  }
  async function tinker(): Promise<void> {
    await tenant((trx) =>
      updateWebhook(trx, view, shaky.id, { enabled: Math.random() < 0.7, url: 'https://shaky.example.com/' }),
    )
    await tenant((trx) => recoverDeliveries(trx, view, shaky.id, new Date(0)))
    await tenant((trx) => rotateSecret(trx, view, shaky.id))
    const { rows } = await asOwner(db, (trx) =>
      sql<{ id: string }>`select id from webhook_deliveries where endpoint_id = ${shaky.id} limit 1`.execute(trx),
    )
    const one = { webhookId: shaky.id, deliveryId: rows[0]?.id ?? shaky.id }
    await tenant((trx) => resendDelivery(trx, view, one))
  }
  const rounds = await Promise.all([
    ...[workOff, workOff, workOff].map(repeat),
    ...[makeEvents, makeEvents, comeAndGo, comeAndGo, tinker, tinker].map(repeat),
  ])
  expect(Math.min(...rounds)).toBeGreaterThan(1)

  // The steady endpoint has received each of its events once, because it never failed.
  for (let n = 0; n < 10_000; n += 1) {
    await workOff()
    const { rows } = await asOwner(db, (trx) =>
      sql<{
        n: number
      }>`select count(*) as n from webhook_deliveries where endpoint_id = ${steady.id} and state = 'pending'`.execute(
        trx,
      ),
    )
    if (rows[0]?.n === 0) break
  }
  const { rows } = await asOwner(db, (trx) =>
    sql<{ eventId: string; state: string; attempts: number }>`
      select event_id, state, attempts from webhook_deliveries where endpoint_id = ${steady.id}`.execute(trx),
  )
  expect(rows.length).toBeGreaterThan(10)
  expect(rows.filter(({ state, attempts }) => state !== 'delivered' || attempts !== 1)).toEqual([])
  expect(rows.filter(({ eventId }) => !seen.has(`true ${eventId}`))).toEqual([])
})

test('a backlog of a hundred thousand deliveries at one endpoint does not delay the others', {
  tags: ['timed'],
}, async () => {
  const { id: accountId } = await openTestAccount(db, 0)
  const view = { accountId, mode: 'live' as const }
  const [dead, live] = [await openTestWebhook(db, view), await openTestWebhook(db, view)]
  await asOwner(db, async (trx) => {
    const insert = (endpoint: string, count: number) =>
      sql`
      insert into webhook_deliveries (account_id, endpoint_id, expires_on, event_id, type, next_at)
      select ${accountId}, ${endpoint}, utc_today() + 4, gen_random_uuid(), 'job.completed', clock_timestamp() - interval '1 hour'
      from generate_series(1, ${count}::integer)`.execute(trx)
    await insert(dead.id, 100_000)
    await sql`update webhook_endpoints set failing_since = clock_timestamp() where id = ${dead.id}`.execute(trx)
    await insert(live.id, 3)
  })
  await asOwner(db, (trx) => sql`analyze webhook_deliveries`.execute(trx))
  const began = performance.now()
  const released = (await dispatchDeliveries(db, 500)).filter((one) => one.accountId === accountId)
  expect(performance.now() - began).toBeLessThan(1_000)
  expect(released.length).toBe(4)
  const again = performance.now()
  expect((await dispatchDeliveries(db, 500)).filter((one) => one.accountId === accountId)).toEqual([])
  expect(performance.now() - again).toBeLessThan(1_000)
})
