import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { asOwner, inTenant } from '../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { findDelivery, listDeliveries, recoverDeliveries, resendDelivery, sendTestEvent } from './deliveries.ts'
import { claimDelivery, dispatchDeliveries, recordAttempt } from './events.ts'
import { attemptWith, claimAll, openTestWebhook, passTime, readEvents } from './test-webhooks.ts'
import {
  findWebhook,
  insertWebhook,
  listWebhooks,
  removeWebhook,
  rotateSecret,
  updateWebhook,
  WEBHOOKS_MAX,
} from './webhooks.ts'

const { db } = await createTestDatabase()

async function openCustomer(endpoints = 1) {
  const { id: accountId } = await openTestAccount(db, 0)
  const view = { accountId, mode: 'live' as const }
  const ids: string[] = []
  for (let n = 0; n < endpoints; n += 1) ids.push((await openTestWebhook(db, view)).id)
  const [id = ''] = ids
  const send = async (count: number, to = id) => {
    for (let n = 0; n < count; n += 1) await inTenant(db, accountId, (trx) => sendTestEvent(trx, view, to))
  }
  const list = async (of = id) => {
    const listed = await inTenant(db, accountId, (trx) => listDeliveries(trx, view, of, { skip: 0, limit: 100 }))
    return listed?.deliveries ?? []
  }
  const claim = () => claimAll(db, accountId)
  const look = () => inTenant(db, accountId, (trx) => findWebhook(trx, view, id))
  return { accountId, view, id, ids, send, list, claim, look }
}

async function releaseFor(accountId: string) {
  return (await dispatchDeliveries(db, 1_000)).filter((released) => released.accountId === accountId)
}

test('an endpoint has at most four deliveries in progress, a failing one has one, and others do not wait', async () => {
  const { accountId, send, claim, ids } = await openCustomer(2)
  const [slow = '', other = ''] = ids
  await send(10, slow)
  const held = await claim()
  expect(held.length).toBe(4)
  expect(await claim()).toEqual([])
  await send(2, other)
  expect((await claim()).length).toBe(2)

  const [first] = held
  if (first) await recordAttempt(db, first, { kind: 'again', afterMs: 60_000 }, attemptWith(500))
  expect(await claim()).toEqual([]) // three are in progress, and its limit is one now
  for (const delivery of held.slice(1))
    await recordAttempt(db, delivery, { kind: 'again', afterMs: 60_000 }, attemptWith(500))
  expect((await releaseFor(accountId)).length).toBe(1)
})

test('the oldest due deliveries are dispatched first, and a backlog of one endpoint does not block the others', async () => {
  const { accountId, send, ids } = await openCustomer(2)
  const [busy = '', quiet = ''] = ids
  await send(50, busy)
  await passTime(db, accountId, 60)
  await send(1, quiet)
  const released = await releaseFor(accountId)
  expect(released.length).toBe(5)
})

test('a delivery is claimed by one worker at a time, and an outdated task claims nothing', async () => {
  const { accountId, send } = await openCustomer()
  await send(1)
  const [task] = await releaseFor(accountId)
  if (task === undefined) throw new Error('nothing was dispatched')
  const claims = await Promise.all([1, 2, 3].map(() => claimDelivery(db, task, 30)))
  expect(claims.filter((claimed) => claimed !== undefined).length).toBe(1)
  expect(await releaseFor(accountId)).toEqual([])
})

test('lost deliveries are dispatched again after ten seconds, and those of a dead worker when their claim expires', async () => {
  const { accountId, send, list } = await openCustomer()
  await send(1)
  const [lost] = await releaseFor(accountId)
  await passTime(db, accountId, 9)
  expect(await releaseFor(accountId)).toEqual([])
  await passTime(db, accountId, 2)
  const [again] = await releaseFor(accountId)
  if (lost === undefined || again === undefined) throw new Error('nothing was dispatched')
  expect(await claimDelivery(db, lost, 30)).toBeUndefined()

  const dead = await claimDelivery(db, again, 30)
  await passTime(db, accountId, 31)
  const [third] = await releaseFor(accountId)
  const alive = third && (await claimDelivery(db, third, 30))
  if (dead === undefined || alive === undefined) throw new Error('nothing was claimed')
  expect([dead.eventId, dead.attemptsBegun, alive.eventId, alive.attemptsBegun]).toEqual([
    alive.eventId,
    1,
    dead.eventId,
    2,
  ])
  expect(await recordAttempt(db, dead, { kind: 'delivered' }, attemptWith(200))).toBe('lost')
  expect(await list()).toMatchObject([{ state: 'pending', attempts: 0 }])
  expect(await recordAttempt(db, alive, { kind: 'delivered' }, attemptWith(204))).toBe('settled')
  expect(await recordAttempt(db, alive, { kind: 'delivered' }, attemptWith(204))).toBe('lost')
  expect(await list()).toMatchObject([{ state: 'delivered', attempts: 1, nextAt: null }])
})

test('each attempt is recorded, and a success resets failingSince', async () => {
  const { accountId, view, id, send, claim, list, look } = await openCustomer()
  await send(1)
  const [first] = await claim()
  const failed = { ...attemptWith(0), status: null, error: 'timeout' }
  if (first) await recordAttempt(db, first, { kind: 'again', afterMs: 5_000 }, failed)
  expect(await look()).toMatchObject({ failingSince: expect.any(Date) })
  expect(await claim()).toEqual([])
  await passTime(db, accountId, 5)
  const [second] = await claim()
  if (second) await recordAttempt(db, second, { kind: 'delivered' }, attemptWith(200))
  expect(await look()).toMatchObject({ failingSince: null })
  const [delivery] = await list()
  const whole = await inTenant(db, accountId, (trx) =>
    findDelivery(trx, view, { webhookId: id, deliveryId: delivery?.id ?? '' }),
  )
  expect(whole).toMatchObject({ state: 'delivered', attempts: 2, body: expect.stringContaining('webhook.test') })
  expect(whole?.tried).toMatchObject([
    { no: 1, status: null, error: 'timeout', durationMs: 12 },
    { no: 2, status: 200, error: null },
  ])
})

test('an endpoint that responds 410 is disabled at once, its deliveries fail, and the other endpoints receive an event', async () => {
  const { accountId, view, id, ids, send, claim, list, look } = await openCustomer(2)
  await send(3)
  const [first] = await claim()
  if (first) await recordAttempt(db, first, { kind: 'gone' }, attemptWith(410))
  expect(await look()).toMatchObject({ state: 'disabled', disabledReason: 'gone', disabledAt: expect.any(Date) })
  const log = (await list()).map(({ type, state }) => `${type} ${state}`)
  expect(log.toSorted()).toEqual(['webhook.disabled failed', ...Array(3).fill('webhook.test failed')])
  expect((await list(ids[1])).map(({ type, state }) => [type, state])).toEqual([['webhook.disabled', 'pending']])
  const notice = (await readEvents(db, accountId)).find(({ type }) => type === 'webhook.disabled')
  expect(notice?.body.data).toMatchObject({ id, reason: 'gone' })

  const refused = await inTenant(db, accountId, (trx) => recoverDeliveries(trx, view, id, new Date(0)))
  expect(refused).toEqual({ kind: 'disabled' })
  await inTenant(db, accountId, (trx) => updateWebhook(trx, view, id, { enabled: true }))
  expect(await look()).toMatchObject({ state: 'enabled', disabledReason: null, failingSince: null })
  const recovered = await inTenant(db, accountId, (trx) => recoverDeliveries(trx, view, id, new Date(0)))
  expect(recovered).toEqual({ kind: 'sent', count: 4 })
})

test('five days of failures disable an endpoint, and a failure before that does not', async () => {
  const { accountId, send, claim, look } = await openCustomer()
  const failFor = async (hours: number) => {
    await send(1)
    await asOwner(db, (trx) =>
      sql`update webhook_endpoints set failing_since = clock_timestamp() - make_interval(hours => ${hours})
          where account_id = ${accountId}`.execute(trx),
    )
    const [delivery] = await claim()
    if (delivery) await recordAttempt(db, delivery, { kind: 'again', afterMs: 1 }, attemptWith(500))
    return (await look())?.disabledReason
  }
  expect(await failFor(119)).toBeNull()
  expect(await failFor(121)).toBe('failing')
})

test('an endpoint disabled by its owner receives nothing, and no event is emitted', async () => {
  const { accountId, view, id, send, claim, list } = await openCustomer()
  await send(1)
  const off = await inTenant(db, accountId, (trx) =>
    updateWebhook(trx, view, id, { enabled: false, url: 'https://b.example/' }),
  )
  expect(off).toMatchObject({ state: 'disabled', disabledReason: 'by_owner', url: 'https://b.example/' })
  expect(await claim()).toEqual([])
  expect((await list()).map(({ type, state }) => [type, state])).toEqual([['webhook.test', 'failed']])
  expect(await inTenant(db, accountId, (trx) => sendTestEvent(trx, view, id))).toBe('disabled')
})

test('a delivery can be resent in any state with the same event, and a recovery resends those that failed since a time', async () => {
  const { accountId, view, id, send, claim, list } = await openCustomer()
  await send(3)
  const claimed = await claim()
  for (const [n, delivery] of claimed.entries()) {
    await recordAttempt(db, delivery, { kind: n === 0 ? 'delivered' : 'given_up' }, attemptWith(n === 0 ? 200 : 500))
  }
  const done = claimed[0]
  const resent = await inTenant(db, accountId, (trx) =>
    resendDelivery(trx, view, { webhookId: id, deliveryId: done?.id ?? '' }),
  )
  expect(resent).toEqual({ kind: 'sent', count: 1 })
  const [again] = await claim()
  expect(again).toMatchObject({ id: done?.id, eventId: done?.eventId, body: done?.body, attemptsBegun: 1 })

  const recover = (since: Date) => inTenant(db, accountId, (trx) => recoverDeliveries(trx, view, id, since))
  expect(await recover(new Date(Date.now() + 60_000))).toEqual({ kind: 'sent', count: 0 })
  expect(await recover(new Date(Date.now() - 60_000))).toEqual({ kind: 'sent', count: 2 })
  expect((await list()).map(({ state }) => state)).toEqual(['pending', 'pending', 'pending'])
})

test('an account has ten endpoints at most, even if more are created concurrently', async () => {
  const { accountId, view } = await openCustomer(0)
  const wishes = Array.from({ length: WEBHOOKS_MAX + 5 }, () =>
    inTenant(db, accountId, (trx) => insertWebhook(trx, view, { url: 'https://hooks.example.com/' })),
  )
  const made = (await Promise.all(wishes)).filter((one) => one !== undefined)
  expect(made.length).toBe(WEBHOOKS_MAX)
  expect(new Set(made.map(({ secret }) => secret)).size).toBe(WEBHOOKS_MAX)
  const page = await inTenant(db, accountId, (trx) => listWebhooks(trx, view, { skip: 8, limit: 5 }))
  expect([page.total, page.webhooks.length]).toEqual([WEBHOOKS_MAX, 2])
})

test('after a rotation both secrets sign for a day, then the new one alone', async () => {
  const { accountId, view, id, send, claim } = await openCustomer()
  const rotated = await inTenant(db, accountId, (trx) => rotateSecret(trx, view, id))
  await send(2)
  const [both, next] = await claim()
  expect(both).toMatchObject({ secret: rotated?.secret, previousSecret: expect.stringMatching(/^whsec_/) })
  expect(both?.previousSecret).not.toBe(both?.secret)
  await asOwner(db, (trx) =>
    sql`update webhook_endpoints set previous_until = previous_until - interval '24 hours' where id = ${id}`.execute(
      trx,
    ),
  )
  if (next) await recordAttempt(db, next, { kind: 'again', afterMs: 0 }, attemptWith(500))
  await passTime(db, accountId, 60)
  const [later] = await claim()
  expect(later).toMatchObject({ secret: rotated?.secret, previousSecret: null })
})

test('a deleted endpoint loses its log, and a delivery in progress cannot be settled', async () => {
  const { accountId, view, id, send, claim } = await openCustomer()
  await send(1)
  const [delivery] = await claim()
  expect(await inTenant(db, accountId, (trx) => removeWebhook(trx, view, id))).toBe(true)
  expect(await inTenant(db, accountId, (trx) => removeWebhook(trx, view, id))).toBe(false)
  if (delivery) expect(await recordAttempt(db, delivery, { kind: 'delivered' }, attemptWith(200))).toBe('lost')
})

test('another account or mode can neither read nor change an endpoint or its deliveries', async () => {
  const { accountId, id, send, list, look } = await openCustomer()
  await send(1)
  const [delivery] = await list()
  const before = await look()
  const { id: outsider } = await openTestAccount(db, 0)
  for (const view of [{ accountId: outsider, mode: 'live' } as const, { accountId, mode: 'test' } as const]) {
    const one = { webhookId: id, deliveryId: delivery?.id ?? randomUUID() }
    await inTenant(db, view.accountId, async (trx) => {
      expect(await findWebhook(trx, view, id)).toBeUndefined()
      expect(await updateWebhook(trx, view, id, { url: 'https://other.example/', enabled: false })).toBeUndefined()
      expect(await rotateSecret(trx, view, id)).toBeUndefined()
      expect(await removeWebhook(trx, view, id)).toBe(false)
      expect(await listDeliveries(trx, view, id, { skip: 0, limit: 10 })).toBeUndefined()
      expect(await findDelivery(trx, view, one)).toBeUndefined()
      expect(await resendDelivery(trx, view, one)).toEqual({ kind: 'missing' })
      expect(await recoverDeliveries(trx, view, id, new Date(0))).toEqual({ kind: 'missing' })
      expect(await sendTestEvent(trx, view, id)).toBeUndefined()
    })
  }
  expect(await look()).toEqual(before)
})
