import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { findAccount } from './accounts.ts'
import { findBillingAccount, keepSubscription, saveCustomer } from './billing.ts'
import { asNobody, asOwner, inTenant, type Trx } from './connect.ts'
import { listDrift, postCredits } from './credits.ts'
import { removeOldPayments } from './old-payments.ts'
import { grantOffer, grantPaid, offerPayment, takeBack } from './payments.ts'
import { savePrice } from './prices.ts'
import { insertEvent, lookUpEvent } from './stripe-events.ts'
import { createTestDatabase, openTestAccount } from './test-database.ts'

const { db } = await createTestDatabase()
await asOwner(db, (trx) => savePrice(trx, { id: 'price_growth', plan: 'growth', credits: 1 }))

async function openBuyer() {
  const { id } = await openTestAccount(db, 0)
  await inTenant(db, id, (trx) => saveCustomer(trx, id, `cus_${id}`))
  return { id, inside: <T>(work: (trx: Trx) => Promise<T>) => inTenant(db, id, work) }
}

test('of many who grant one payment at the same time one does', async () => {
  const { id, inside } = await openBuyer()
  const reference = `cs_${randomUUID()}`
  await inside((trx) => offerPayment(trx, id, { reference, credits: 10 }))
  const grants = Array.from({ length: 10 }, () => inside((trx) => grantOffer(trx, id, reference)))
  expect((await Promise.all(grants)).filter(Boolean)).toHaveLength(1)

  const period = { reference: `in_${randomUUID()}`, credits: 5 }
  const periods = Array.from({ length: 10 }, () => inside((trx) => grantPaid(trx, id, period)))
  expect((await Promise.all(periods)).filter(Boolean)).toHaveLength(1)
  expect(await inside((trx) => findAccount(trx, id))).toMatchObject({ available: 15 })
  expect(await asOwner(db, listDrift)).toEqual([])
})

test("nobody is granted another's payment", async () => {
  const [mine, theirs] = [await openBuyer(), await openBuyer()]
  const reference = `cs_${randomUUID()}`
  await theirs.inside((trx) => offerPayment(trx, theirs.id, { reference, credits: 10 }))
  expect(await mine.inside((trx) => grantOffer(trx, mine.id, reference))).toBe(false)
  expect(await mine.inside((trx) => grantOffer(trx, theirs.id, reference))).toBe(false)
  expect(await findBillingAccount(db, `cus_${theirs.id}`)).toBe(theirs.id)
})

test('what is not granted cannot be taken back', async () => {
  const { id, inside } = await openBuyer()
  const reference = `cs_${randomUUID()}`
  await inside((trx) => offerPayment(trx, id, { reference, credits: 10 }))
  await inside((trx) => postCredits(trx, { kind: 'grant', credits: 10, subject: randomUUID() }))
  expect(await inside((trx) => takeBack(trx, id, { reference, refunded: 1, paid: 1 }))).toBeUndefined()
  expect(await inside((trx) => findAccount(trx, id))).toMatchObject({ available: 10 })
})

test.each([
  [0, 100, 0],
  [57, 100, 57],
  [1, 3, 33],
  [99_999, 100_000, 99],
  [100, 100, 100],
  [0, 0, 0],
])('of 100 credits, a refund of %d out of %d takes back %d', async (refunded, paid, taken) => {
  const { id, inside } = await openBuyer()
  const reference = `in_${randomUUID()}`
  await inside((trx) => grantPaid(trx, id, { reference, credits: 100 }))
  expect(await inside((trx) => takeBack(trx, id, { reference, refunded, paid }))).toEqual({
    taken,
    creditsAlreadySpent: 0,
  })
  expect(await inside((trx) => findAccount(trx, id))).toMatchObject({ available: 100 - taken })
})

test('an event is put down once, and not at all where what it asks for fails', async () => {
  const event = { id: `evt_${randomUUID()}`, type: 'x' }
  const failing = asNobody(db, async (trx) => {
    await insertEvent(trx, event)
    throw new Error('lost')
  })
  await expect(failing).rejects.toThrow('lost')
  expect(await lookUpEvent(db, event.id)).toMatchObject({ isKnown: false })
  const inserts = Array.from({ length: 10 }, () => asNobody(db, (trx) => insertEvent(trx, event)))
  expect((await Promise.all(inserts)).filter(Boolean)).toHaveLength(1)
  expect(await lookUpEvent(db, event.id)).toMatchObject({ isKnown: true })
})

test('what was asked earlier and arrives later changes no plan', async () => {
  const { inside } = await openBuyer()
  const { checkedAt: earlier } = await lookUpEvent(db, 'evt_none')
  const { checkedAt: later } = await lookUpEvent(db, 'evt_none')
  const subscription = { id: `sub_${randomUUID()}`, price: 'price_growth', beganAt: new Date() }
  const keep = (isPaid: boolean, checkedAt: string) =>
    inside((trx) => keepSubscription(trx, { ...subscription, isPaid, checkedAt }))
  expect(await keep(false, later)).toBe('payg')
  expect(await keep(true, earlier)).toBe('payg')
  expect(await keep(true, later)).toBe('growth')
})

test('what nobody paid and what was told leave after 90 days, and what was granted stays', async () => {
  const { id, inside } = await openBuyer()
  const [old, young, paid] = ['old', 'young', 'paid'].map((name) => `cs_${name}_${randomUUID()}`) as [
    string,
    string,
    string,
  ]
  for (const reference of [old, young, paid]) await inside((trx) => offerPayment(trx, id, { reference, credits: 10 }))
  await inside((trx) => grantOffer(trx, id, paid))
  const events = ['evt_old', 'evt_young'].map((name) => `${name}_${id}`)
  for (const event of events) await inside((trx) => insertEvent(trx, { id: event, type: 'invoice.paid' }))
  await asOwner(db, async (trx) => {
    await sql`update payments set created_at = created_at - interval '91 days' where reference in (${old}, ${paid})`.execute(
      trx,
    )
    await sql`update stripe_events set at = at - interval '91 days' where id = ${events[0]}`.execute(trx)
  })
  expect(await removeOldPayments(db)).toBe(2)
  const left = await inside((trx) => trx.selectFrom('payments').select('reference').execute())
  expect(left.map(({ reference }) => reference).toSorted()).toEqual([paid, young].toSorted())
  const known = await Promise.all(events.map((event) => lookUpEvent(db, event)))
  expect(known.map(({ isKnown }) => isKnown)).toEqual([false, true])
  expect(await removeOldPayments(db)).toBe(0)
})
