import { findBillingAccount, keepSubscription } from '@probity/database/billing'
import { asNobody, type Db, inTenant, type Trx } from '@probity/database/connect'
import { grantOffer, grantPaid, takeBack } from '@probity/database/payments'
import { listPrices } from '@probity/database/prices'
import { insertEvent, lookUpEvent, noteOutcome } from '@probity/database/stripe-events'
import type Stripe from 'stripe'
import type { Services } from '../services.ts'
import { type Lesson, learn, type PaidLine } from './learn.ts'
import type { Payments } from './payments.ts'

/** What came of an event. All are answered alike: Stripe sends again what is not taken, and none of this gets better by that. */
type Outcome = string

/** Does what an event asks for, once, however often and in whatever order it comes. */
export async function receiveEvent({ db, log }: Pick<Services, 'db' | 'log'>, payments: Payments, event: Stripe.Event) {
  const { isKnown, checkedAt } = await lookUpEvent(db, event.id)
  if (isKnown) return
  const lesson = await learn(await payments.client(), event, checkedAt)
  const accountId = lesson.kind === 'nothing' ? undefined : await findBillingAccount(db, lesson.customer)
  const outcome = await inTransaction(db, accountId, async (trx) => {
    // First of all, so that the same event at the same time waits here and then finds that it is too late.
    if (!(await insertEvent(trx, event))) return 'seen_before'
    const came = await act(trx, accountId, lesson)
    await noteOutcome(trx, event.id, came)
    return came
  })
  log.info({ eventId: event.id, type: event.type, accountId, outcome }, 'payment event')
}

function inTransaction<T>(db: Db, accountId: string | undefined, work: (trx: Trx) => Promise<T>): Promise<T> {
  return accountId === undefined ? asNobody(db, work) : inTenant(db, accountId, work)
}

async function act(trx: Trx, accountId: string | undefined, lesson: Lesson): Promise<Outcome> {
  if (lesson.kind === 'nothing') return lesson.why
  if (accountId === undefined) return 'unknown_customer'
  if (lesson.kind === 'pack') return settlePack(trx, accountId, lesson)
  if (lesson.kind === 'period') return settlePeriod(trx, accountId, lesson)
  return `plan: ${await keepSubscription(trx, lesson.state)}`
}

async function settlePack(
  trx: Trx,
  accountId: string,
  { reference, refund }: Extract<Lesson, { kind: 'pack' }>,
): Promise<Outcome> {
  const isNew = await grantOffer(trx, accountId, reference)
  const back = await takeBack(trx, accountId, { reference, ...refund })
  if (back === undefined) return 'unknown_checkout'
  if (back.taken + back.creditsAlreadySpent > 0)
    return `taken back: ${back.taken}, spent already: ${back.creditsAlreadySpent}`
  return isNew ? 'granted' : 'granted_before'
}

async function settlePeriod(
  trx: Trx,
  accountId: string,
  { reference, lines }: Extract<Lesson, { kind: 'period' }>,
): Promise<Outcome> {
  const credits = await creditsOf(trx, lines)
  if (credits === 0) return 'gives_no_credits'
  return (await grantPaid(trx, accountId, { reference, credits })) ? 'granted' : 'granted_before'
}

async function creditsOf(trx: Trx, lines: PaidLine[]): Promise<number> {
  const plans = (await listPrices(trx)).filter((price) => price.plan !== null)
  const credits = new Map(plans.map((price) => [price.id, price.credits]))
  return lines.reduce((sum, { price, quantity }) => sum + (credits.get(price) ?? 0) * quantity, 0)
}
