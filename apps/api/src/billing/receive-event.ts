import {
  findBillingAccount,
  findPayment,
  grantOffer,
  grantPaid,
  insertEvent,
  keepSubscription,
  listPrices,
  lookUpEvent,
  type Reversal,
  recordOutcome,
  recordReversal,
} from '@probity/database/billing/payments'
import { type Db, inTenant, type Trx, withoutTenant } from '@probity/database/connection/connect'
import type { FastifyBaseLogger } from 'fastify'
import type Stripe from 'stripe'
import { type Lesson, learn, type PaidLine } from './fetch-stripe-object.ts'
import type { Payments } from './payments.ts'

/** What came of an event. All are answered alike: Stripe sends again what is not taken, and none of this gets better by that. */
type Outcome = string

/** Does what an event asks for, once, however often and in whatever order it comes. */
export async function receiveEvent(
  { db, log }: { db: Db; log: FastifyBaseLogger },
  payments: Payments,
  event: Stripe.Event,
) {
  const { isKnown, checkedAt } = await lookUpEvent(db, event.id)
  if (isKnown) return
  const lesson = await learn(await payments.client(), event, checkedAt)
  const accountId = lesson.kind === 'nothing' ? undefined : await findBillingAccount(db, lesson.customer)
  const outcome = await inTransaction(db, accountId, async (trx) => {
    // First of all, so that the same event at the same time waits here and then finds that it is too late.
    if (!(await insertEvent(trx, event))) return 'seen_before'
    const came = await act(trx, accountId, lesson, { checkedAt, suspends: payments.suspendsOnDispute })
    await recordOutcome(trx, event.id, came)
    return came
  })
  log.info({ eventId: event.id, type: event.type, accountId, outcome }, 'payment event')
}

function inTransaction<T>(db: Db, accountId: string | undefined, work: (trx: Trx) => Promise<T>): Promise<T> {
  return accountId === undefined ? withoutTenant(db, work) : inTenant(db, accountId, work)
}

/** When Stripe returned the state, and whether a new dispute suspends the account. */
type Handling = { checkedAt: string; suspends: boolean }

async function act(trx: Trx, accountId: string | undefined, lesson: Lesson, how: Handling): Promise<Outcome> {
  if (lesson.kind === 'nothing') return lesson.why
  if (accountId === undefined) return 'unknown_customer'
  if (lesson.kind === 'pack') return settlePack(trx, accountId, lesson, how)
  if (lesson.kind === 'period') return settlePeriod(trx, accountId, lesson, how)
  return `plan: ${await keepSubscription(trx, lesson.state)}`
}

async function settlePack(
  trx: Trx,
  accountId: string,
  { reference, reversal }: Extract<Lesson, { kind: 'pack' }>,
  how: Handling,
): Promise<Outcome> {
  const isNew = await grantOffer(trx, accountId, reference)
  const reversed = await reverse(trx, reference, reversal, how)
  return reversed ?? (isNew ? 'granted' : 'granted_before')
}

/** Takes back or returns credits of a payment. Undefined if the payment is as it was. */
async function reverse(trx: Trx, reference: string, reversal: Reversal, how: Handling): Promise<Outcome | undefined> {
  const reversed = await recordReversal(trx, { reference, ...reversal, ...how })
  if (reversed === undefined) return 'unknown_checkout'
  const { change, debt } = reversed
  if (change === 0) return undefined
  return change > 0 ? `reversed: ${change}, debt: ${debt}` : `returned: ${-change}, debt: ${debt}`
}

async function settlePeriod(
  trx: Trx,
  accountId: string,
  { reference, lines, reversal }: Extract<Lesson, { kind: 'period' }>,
  how: Handling,
): Promise<Outcome> {
  const credits = await creditsOf(trx, lines)
  // A dispute is recorded for a plan without credits too, since it can suspend the account.
  if (credits === 0 && !reversal.isDisputed && !(await findPayment(trx, accountId, reference)))
    return 'gives_no_credits'
  const isNew = await grantPaid(trx, accountId, { reference, credits })
  const reversed = await reverse(trx, reference, reversal, how)
  return reversed ?? (isNew ? 'granted' : 'granted_before')
}

async function creditsOf(trx: Trx, lines: PaidLine[]): Promise<number> {
  const plans = (await listPrices(trx)).filter((price) => price.plan !== null)
  const credits = new Map(plans.map((price) => [price.id, price.credits]))
  return lines.reduce((sum, { price, quantity }) => sum + (credits.get(price) ?? 0) * quantity, 0)
}
