import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { findAccount } from '../accounts/accounts.ts'
import { asOperator, asOwner, inTenant, type Trx, withoutTenant } from '../connection/connect.ts'
import { createTestDatabase, openTestAccount } from '../connection/test-database.ts'
import { reactivateAccount, suspendAccount } from '../operators/accounts.ts'
import { listDrift, postCredits } from './ledger.ts'
import {
  findBillingAccount,
  grantOffer,
  grantPaid,
  insertEvent,
  keepSubscription,
  lookUpEvent,
  offerPayment,
  type Reversal,
  recordReversal,
  removeOldPayments,
  saveCustomer,
  savePrice,
} from './payments.ts'

const { db } = await createTestDatabase()
await asOwner(db, (trx) => savePrice(trx, { id: 'price_growth', plan: 'growth', credits: 1 }))

async function openBuyer() {
  const { id } = await openTestAccount(db, 0)
  await inTenant(db, id, (trx) => saveCustomer(trx, id, `cus_${id}`))
  return { id, inside: <T>(work: (trx: Trx) => Promise<T>) => inTenant(db, id, work) }
}

test('exactly one of many concurrent grants of a payment succeeds', async () => {
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

test("an account cannot be granted another account's payment", async () => {
  const [mine, theirs] = [await openBuyer(), await openBuyer()]
  const reference = `cs_${randomUUID()}`
  await theirs.inside((trx) => offerPayment(trx, theirs.id, { reference, credits: 10 }))
  expect(await mine.inside((trx) => grantOffer(trx, mine.id, reference))).toBe(false)
  expect(await mine.inside((trx) => grantOffer(trx, theirs.id, reference))).toBe(false)
  expect(await findBillingAccount(db, `cus_${theirs.id}`)).toBe(theirs.id)
})

/** A buyer with one granted payment, and a function that records its state at Stripe. */
async function openPaid(credits = 100) {
  const { id, inside } = await openBuyer()
  const reference = `cs_${randomUUID()}`
  await inside((trx) => grantPaid(trx, id, { reference, credits }))
  const reverse = async (reversal: Partial<Reversal>, { checkedAt, suspends = true }: Recording = {}) => {
    const now = checkedAt ?? (await lookUpEvent(db, 'evt_none')).checkedAt
    const state = { lost: 0, paid: 100, isDisputed: false, ...reversal }
    return inside((trx) => recordReversal(trx, { reference, ...state, checkedAt: now, suspends }))
  }
  const spend = (kind: 'charge' | 'reserve', spent: number, subject: string = randomUUID()) =>
    inside((trx) => postCredits(trx, { kind, credits: spent, subject }))
  const account = () => inside((trx) => findAccount(trx, id))
  return { id, inside, reverse, spend, account }
}

type Recording = { checkedAt?: string; suspends?: boolean }

test('a payment that was not granted cannot be reversed', async () => {
  const { id, inside } = await openBuyer()
  const reference = `cs_${randomUUID()}`
  await inside((trx) => offerPayment(trx, id, { reference, credits: 10 }))
  await inside((trx) => postCredits(trx, { kind: 'grant', credits: 10, subject: randomUUID() }))
  const { checkedAt } = await lookUpEvent(db, 'evt_none')
  const reversal = { reference, lost: 1, paid: 1, isDisputed: true, suspends: true, checkedAt }
  expect(await inside((trx) => recordReversal(trx, reversal))).toBeUndefined()
  expect(await inside((trx) => findAccount(trx, id))).toMatchObject({ available: 10 })
})

test.each([
  [0, 100, 0],
  [57, 100, 57],
  [1, 3, 33],
  [99_999, 100_000, 99],
  [100, 100, 100],
  [150, 100, 100],
  [0, 0, 0],
])('of 100 credits, a refund of %d out of %d takes back %d', async (lost, paid, taken) => {
  const { reverse, account } = await openPaid()
  expect(await reverse({ lost, paid })).toEqual({ change: taken, debt: 0 })
  expect(await account()).toMatchObject({ available: 100 - taken })
})

test('reversed credits that were spent become a debt, which later grants pay first', async () => {
  const { inside, reverse, spend, account } = await openPaid()
  await spend('charge', 70)
  expect(await reverse({ lost: 100 })).toEqual({ change: 100, debt: 70 })
  expect(await account()).toMatchObject({ available: 0, debt: 70 })
  const grant = (credits: number) =>
    inside((trx) => postCredits(trx, { kind: 'grant', credits, subject: randomUUID() }))
  expect(await grant(50)).toEqual({ kind: 'posted', available: 0 })
  expect(await account()).toMatchObject({ available: 0, debt: 20 })
  expect(await grant(50)).toEqual({ kind: 'posted', available: 30 })
  expect(await account()).toMatchObject({ available: 30, debt: 0, spent: 70 })
  expect(await asOwner(db, listDrift)).toEqual([])
})

test('credits that a job releases pay the debt before they can be spent again', async () => {
  const { inside, reverse, spend, account } = await openPaid()
  const job = randomUUID()
  await spend('reserve', 100, job)
  expect(await reverse({ lost: 60 })).toEqual({ change: 60, debt: 60 })
  await inside((trx) => postCredits(trx, { kind: 'release', credits: 100, subject: job }))
  expect(await spend('charge', 41)).toEqual({ kind: 'insufficient', available: 40 })
  expect(await spend('charge', 40)).toEqual({ kind: 'posted', available: 0 })
  expect(await account()).toMatchObject({ available: 0, spent: 40, debt: 0 })
  expect(await asOwner(db, listDrift)).toEqual([])
})

test('a reversal that ends lowers the debt first and returns the rest', async () => {
  const { reverse, spend, account } = await openPaid()
  await spend('charge', 70)
  await reverse({ lost: 100, isDisputed: true })
  expect(await reverse({ lost: 50 })).toEqual({ change: -50, debt: 20 })
  expect(await reverse({ lost: 0 })).toEqual({ change: -50, debt: 0 })
  expect(await account()).toMatchObject({ available: 30, spent: 70, debt: 0 })
  expect(await asOwner(db, listDrift)).toEqual([])
})

test('a state that Stripe returned earlier than the recorded one is ignored', async () => {
  const { reverse, account } = await openPaid()
  const { checkedAt } = await lookUpEvent(db, 'evt_none')
  await reverse({ lost: 0 })
  expect(await reverse({ lost: 100, isDisputed: true }, { checkedAt })).toEqual({ change: 0, debt: 0 })
  expect(await account()).toMatchObject({ available: 100, suspendedAt: null })
})

test('a dispute suspends the account once, and a won one resumes it', async () => {
  const { id, reverse, account } = await openPaid()
  await reverse({ lost: 100, isDisputed: true })
  expect((await account())?.suspendedAt).not.toBeNull()
  // If an operator resumes the account, further events about the same dispute do not suspend it again.
  await asOperator(db, (trx) => reactivateAccount(trx, id))
  await reverse({ lost: 100, isDisputed: true })
  expect((await account())?.suspendedAt).toBeNull()

  const other = await openPaid()
  await other.reverse({ lost: 100, isDisputed: true })
  await other.reverse({ lost: 0 })
  expect(await other.account()).toMatchObject({ available: 100, suspendedAt: null })
})

test('a won dispute does not end the suspension of an operator, nor that of another dispute', async () => {
  const { id, inside, reverse, account } = await openPaid()
  await asOperator(db, (trx) => suspendAccount(trx, id))
  await reverse({ lost: 100, isDisputed: true })
  await reverse({ lost: 0 })
  expect((await account())?.suspendedAt).not.toBeNull()
  await asOperator(db, (trx) => reactivateAccount(trx, id))

  const second = `cs_${randomUUID()}`
  await inside((trx) => grantPaid(trx, id, { reference: second, credits: 10 }))
  const { checkedAt } = await lookUpEvent(db, 'evt_none')
  const disputed = { reference: second, lost: 1, paid: 1, isDisputed: true, suspends: true, checkedAt }
  await reverse({ lost: 100, isDisputed: true })
  await inside((trx) => recordReversal(trx, disputed))
  await reverse({ lost: 0 })
  expect((await account())?.suspendedAt).not.toBeNull()
})

test('a dispute does not suspend the account if the operator disabled that', async () => {
  const { reverse, account } = await openPaid()
  await reverse({ lost: 100, isDisputed: true }, { suspends: false })
  expect(await account()).toMatchObject({ available: 0, suspendedAt: null })
})

test('an event is recorded once, and not at all if its handling fails', async () => {
  const event = { id: `evt_${randomUUID()}`, type: 'x' }
  const failing = withoutTenant(db, async (trx) => {
    await insertEvent(trx, event)
    throw new Error('lost')
  })
  await expect(failing).rejects.toThrow('lost')
  expect(await lookUpEvent(db, event.id)).toMatchObject({ isKnown: false })
  const inserts = Array.from({ length: 10 }, () => withoutTenant(db, (trx) => insertEvent(trx, event)))
  expect((await Promise.all(inserts)).filter(Boolean)).toHaveLength(1)
  expect(await lookUpEvent(db, event.id)).toMatchObject({ isKnown: true })
})

test('a subscription state that was read earlier and arrives later does not change the plan', async () => {
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

test('unpaid offers and events are deleted after 90 days, granted payments are kept', async () => {
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
