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

/** Grants credits for what was paid without an offer of ours before it, as the renewal of a plan. False where that is done already. */
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
  await postCredits(trx, { kind: 'grant', credits, subject: id, note: `paid: ${reference}` })
}

/** How much of what was paid has been paid back by now, in the smallest unit of the currency. */
export type Refund = { refunded: number; paid: number }

type TakenBack = { taken: number; creditsAlreadySpent: number }

/**
 * Takes back the share of a payment's credits whose price was paid back, all such refunds together. No balance falls below nothing: what
 * has been spent or set aside by then is written down and left. Undefined where nothing was granted for it.
 */
export async function takeBack(
  trx: Trx,
  accountId: string,
  { reference, refunded, paid }: Refund & { reference: string },
): Promise<TakenBack | undefined> {
  const payment = await trx
    .selectFrom('payments')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('reference', '=', reference)
    .where('grantedAt', 'is not', null)
    .forUpdate()
    .executeTakeFirst()
  if (payment === undefined) return undefined

  const more = dueBack(payment.credits, { refunded, paid }) - payment.creditsRevoked - payment.creditsAlreadySpent
  // What is due never becomes less, so a refund that is told of late or twice has nothing left to take.
  if (more <= 0) return { taken: 0, creditsAlreadySpent: 0 }

  const taken = await takeUpTo(trx, payment, more)
  const creditsAlreadySpent = more - taken
  await trx
    .updateTable('payments')
    .set({
      refunds: payment.refunds + 1,
      creditsRevoked: payment.creditsRevoked + taken,
      creditsAlreadySpent: payment.creditsAlreadySpent + creditsAlreadySpent,
    })
    .where('id', '=', payment.id)
    .execute()
  return { taken, creditsAlreadySpent }
}

/** In whole numbers: as fractions, 57 of 100 comes to 56. */
function dueBack(credits: number, { refunded, paid }: Refund): number {
  if (paid <= 0) return 0
  return Number((BigInt(credits) * BigInt(Math.min(refunded, paid))) / BigInt(paid))
}

/** Takes so many credits, or those that are left. The part tells several refunds of one payment apart in the ledger. */
async function takeUpTo(trx: Trx, { id, reference, refunds }: Payment, credits: number): Promise<number> {
  const movement = { kind: 'adjust', subject: id, part: refunds, note: `refunded: ${reference}` } as const
  const posting = await postCredits(trx, { ...movement, credits: -credits })
  if (posting.kind !== 'insufficient') return credits
  // The first attempt holds the account's lock, so what it saw is there still.
  if (posting.available > 0) await postCredits(trx, { ...movement, credits: -posting.available })
  return posting.available
}

/** What was offered or granted by this name at Stripe. */
export function findPayment(trx: Trx, accountId: string, reference: string): Promise<Payment | undefined> {
  const payment = trx.selectFrom('payments').selectAll().where('accountId', '=', accountId)
  return payment.where('reference', '=', reference).executeTakeFirst()
}
