import { type Selectable, sql } from 'kysely'
import { type Db, type Trx, withoutTenant } from '../connection/connect.ts'
import type { Schema } from '../connection/schema.ts'
import { postCredits } from './ledger.ts'

type Payment = Selectable<Schema['payments']>

/** Stores the credits that a Checkout session grants when it is paid. */
export async function offerPayment(trx: Trx, accountId: string, offer: Offer): Promise<void> {
  await trx
    .insertInto('payments')
    .values({ accountId, ...offer })
    .execute()
}

/** The id of a session or invoice at Stripe, and its credits. */
type Offer = { reference: string; credits: number }

/** Grants the credits of a paid offer. False if they were granted before, or if there is no such offer. */
export async function grantOffer(trx: Trx, accountId: string, reference: string): Promise<boolean> {
  // The lock lasts until the commit, so the second of two events about one payment finds it granted.
  const payment = await trx
    .updateTable('payments')
    .set({ grantedAt: sql`clock_timestamp()` })
    .where('accountId', '=', accountId)
    .where('reference', '=', reference)
    .where('grantedAt', 'is', null)
    .returningAll()
    .executeTakeFirst()
  if (payment === undefined) return false
  await grant(trx, payment)
  return true
}

/**
 * Grants credits for a payment without an earlier offer, such as the renewal of a plan; 0 credits record the payment only. False if that
 * was done before.
 */
export async function grantPaid(trx: Trx, accountId: string, paid: Offer): Promise<boolean> {
  const payment = await trx
    .insertInto('payments')
    .values({ accountId, ...paid, grantedAt: sql`clock_timestamp()` })
    .onConflict((row) => row.column('reference').doNothing())
    .returningAll()
    .executeTakeFirst()
  if (payment === undefined) return false
  await grant(trx, payment)
  return true
}

async function grant(trx: Trx, { id, credits, reference }: Payment): Promise<void> {
  if (credits === 0) return
  await postCredits(trx, { kind: 'grant', credits, subject: id, note: `paid: ${reference}` })
}

/** The refunded or disputed part of a payment, in the smallest currency unit, as Stripe returned it at `checkedAt`. */
export type Reversal = { lost: number; paid: number; isDisputed: boolean }

/** The credits that a call reversed, negative for credits that it returned, and the account's debt. */
export type Reversed = { change: number; debt: number }

type RecordedReversal = Reversal & { reference: string; checkedAt: string; suspends: boolean }

/** Revokes the credits of a reversed payment, or returns them. Undefined if nothing was granted for it. */
export async function recordReversal(trx: Trx, reversal: RecordedReversal): Promise<Reversed | undefined> {
  const { reference, lost, paid, isDisputed, suspends, checkedAt } = reversal
  const { rows } = await sql<Reversed>`
    select change, debt from record_reversal(${reference}, ${lost}, ${paid}, ${isDisputed}, ${suspends}, ${checkedAt})`.execute(
    trx,
  )
  return rows[0]
}

/** The payment that was offered or granted with this id at Stripe. */
export function findPayment(trx: Trx, accountId: string, reference: string): Promise<Payment | undefined> {
  const payment = trx.selectFrom('payments').selectAll().where('accountId', '=', accountId)
  return payment.where('reference', '=', reference).executeTakeFirst()
}

/** The tenant's customer id at Stripe, if it has one. */
export async function findCustomer(trx: Trx, accountId: string): Promise<string | undefined> {
  const row = trx.selectFrom('billingCustomers').select('customer').where('accountId', '=', accountId)
  return (await row.executeTakeFirst())?.customer
}

/** Stores the tenant's customer id at Stripe and returns it: the first one if two were created at once. */
export async function saveCustomer(trx: Trx, accountId: string, customer: string): Promise<string> {
  await trx
    .insertInto('billingCustomers')
    .values({ accountId, customer })
    .onConflict((row) => row.column('accountId').doNothing())
    .execute()
  return (await findCustomer(trx, accountId)) ?? customer
}

/** The account of a Stripe customer. */
export function findBillingAccount(db: Db, customer: string): Promise<string | undefined> {
  return withoutTenant(db, async (trx) => {
    const { rows } = await sql<{ id: string | null }>`select find_billing_account(${customer}) as id`.execute(trx)
    return rows[0]?.id ?? undefined
  })
}

type Subscription = Selectable<Schema['subscriptions']>

/** The state of a subscription at Stripe, which was read at `checkedAt` or later. */
export type SubscriptionState = Pick<Subscription, 'id' | 'price' | 'isPaid' | 'beganAt'> & { checkedAt: string }

/** Stores the state of a subscription and gives the account the plan that it pays for. Returns that plan. */
export async function keepSubscription(trx: Trx, state: SubscriptionState): Promise<string> {
  const { id, price, isPaid, beganAt, checkedAt } = state
  const { rows } = await sql<{ plan: string }>`
    select record_subscription(${id}, ${price}, ${isPaid}, ${beganAt}, ${checkedAt}) as plan`.execute(trx)
  const [row] = rows
  if (row === undefined) throw new Error('record_subscription returned no row')
  return row.plan
}

/** The tenant's subscription that pays for its plan. */
export function findPayingSubscription(trx: Trx, accountId: string): Promise<Subscription | undefined> {
  return trx
    .selectFrom('subscriptions')
    .innerJoin('prices', 'prices.id', 'subscriptions.price')
    .selectAll('subscriptions')
    .where('accountId', '=', accountId)
    .where('isPaid', '=', true)
    .where('prices.plan', 'is not', null)
    .orderBy('beganAt', 'desc')
    .orderBy('subscriptions.id')
    .limit(1)
    .executeTakeFirst()
}

export type Price = Selectable<Schema['prices']>

/** The prices: credit packs first, then plans, each from the smallest on. */
export function listPrices(trx: Trx): Promise<Price[]> {
  const prices = trx.selectFrom('prices').selectAll()
  return prices
    .orderBy('plan', (by) => by.asc().nullsFirst())
    .orderBy('credits')
    .orderBy('id')
    .execute()
}

/** A price that can be bought at present. */
export function findOffer(trx: Trx, id: string): Promise<Price | undefined> {
  return trx.selectFrom('prices').selectAll().where('id', '=', id).where('withdrawn', '=', false).executeTakeFirst()
}

/** Sets what a price grants from now on. Earlier purchases are not changed. As the owner. */
export function savePrice(trx: Trx, price: Pick<Price, 'id' | 'plan' | 'credits'>): Promise<Price> {
  const { plan, credits } = price
  return trx
    .insertInto('prices')
    .values(price)
    .onConflict((row) => row.column('id').doUpdateSet({ plan, credits, withdrawn: false }))
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Withdraws a price from sale. As the owner. */
export function withdrawPrice(trx: Trx, id: string): Promise<Price | undefined> {
  return trx.updateTable('prices').set({ withdrawn: true }).where('id', '=', id).returningAll().executeTakeFirst()
}

/** Whether an event was seen before, and the current time: data read from Stripe afterwards is at least that recent. */
export function lookUpEvent(db: Db, id: string): Promise<{ isKnown: boolean; checkedAt: string }> {
  return withoutTenant(db, async (trx) => {
    // As text: a Date has milliseconds only, and two reads may be closer together.
    const { rows } = await sql<{ isKnown: boolean; checkedAt: string }>`
      select exists (select from stripe_events where id = ${id}) as is_known, clock_timestamp()::text as checked_at`.execute(
      trx,
    )
    const [row] = rows
    if (row === undefined) throw new Error('the query returned no row')
    return row
  })
}

/** Records an event as seen. False if it was seen before; a concurrent second call waits here for the first. */
export async function insertEvent(trx: Trx, event: { id: string; type: string }): Promise<boolean> {
  const row = await trx
    .insertInto('stripeEvents')
    .values({ id: event.id, type: event.type, outcome: 'begun' })
    .onConflict((known) => known.column('id').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Records the outcome of an event, for diagnosis. */
export async function recordOutcome(trx: Trx, id: string, outcome: string): Promise<void> {
  await trx.updateTable('stripeEvents').set({ outcome }).where('id', '=', id).execute()
}

/** More than the 30 days in which Stripe resends an event, and than the two weeks of the slowest payment methods. */
const KEPT_DAYS = 90

const ROWS_AT_ONCE = 10_000
/** A million of each; the next run deletes the rest. */
const ROUNDS_MAX = 100

/** Deletes old unpaid offers and old Stripe events. Any process may run it at any time. */
export async function removeOldPayments(db: Db): Promise<number> {
  let removed = 0
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const { rows } = await withoutTenant(db, (trx) =>
      sql<{ n: number }>`select delete_old_payments(${KEPT_DAYS}, ${ROWS_AT_ONCE}) as n`.execute(trx),
    )
    const n = rows[0]?.n ?? 0
    removed += n
    if (n < ROWS_AT_ONCE) break
  }
  return removed
}
