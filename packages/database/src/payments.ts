import { type Selectable, sql } from 'kysely'
import type { Trx } from './connect.ts'
import { postCredits } from './credits.ts'
import type { Schema } from './schema.ts'

type Payment = Selectable<Schema['payments']>

/** Remembers what a Checkout session will give when it is paid. */
export async function offerPayment(trx: Trx, accountId: string, offer: Offer): Promise<void> {
  await trx
    .insertInto('payments')
    .values({ accountId, ...offer })
    .execute()
}

/** By its name at Stripe, and what it gives. */
type Offer = { reference: string; credits: number }

/** Grants the credits of an offer that was paid. False where that is done already, or nothing of that name was offered. */
export async function grantOffer(trx: Trx, accountId: string, reference: string): Promise<boolean> {
  // The row is locked until the commit: of two events about one payment the second finds it granted.
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
 * Grants credits for a payment without an earlier offer, such as the renewal of a plan; 0 credits record the payment only. False where that
 * is done already.
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

/** How much of a payment was refunded or disputed, in the smallest currency unit, as Stripe said at `checkedAt`. */
export type Reversal = { lost: number; paid: number; isDisputed: boolean }

/** The credits that a call reversed, negative for credits that it returned, and the account's debt. */
export type Reversed = { change: number; debt: number }

type RecordedReversal = Reversal & { reference: string; checkedAt: string; suspends: boolean }

/** Takes back the credits of a payment that was reversed, or returns them. Undefined where nothing was granted for it. */
export async function recordReversal(trx: Trx, reversal: RecordedReversal): Promise<Reversed | undefined> {
  const { reference, lost, paid, isDisputed, suspends, checkedAt } = reversal
  const { rows } = await sql<Reversed>`
    select change, debt from record_reversal(${reference}, ${lost}, ${paid}, ${isDisputed}, ${suspends}, ${checkedAt})`.execute(
    trx,
  )
  return rows[0]
}

/** What was offered or granted by this name at Stripe. */
export function findPayment(trx: Trx, accountId: string, reference: string): Promise<Payment | undefined> {
  const payment = trx.selectFrom('payments').selectAll().where('accountId', '=', accountId)
  return payment.where('reference', '=', reference).executeTakeFirst()
}
