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
import { Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { type Lesson, learn, type PaidLine } from './fetch-stripe-object.ts'
import type { Payments } from './payments.ts'

/** Outcome of an event. All outcomes get the same response: Stripe repeats rejected events, and a retry would change none of these. */
type Outcome = string

/** Processes an event once, however often and in whatever order it arrives. */
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
    // First, so that a concurrent copy of the event waits here and is then rejected as a duplicate.
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

type StripeEventsDependencies = {
  db: Db
  payments: Payments | undefined
  log: FastifyBaseLogger
}

/** Events hold whole invoices; those we have seen described stay far below this. */
const BODY_BYTES_MAX = 512 * 1024

/** How old an event may be, by the time that is signed with it. */
const TOLERANCE_S = 300

/** Receives Stripe events. Authenticated by signature instead of a key. Missing while payments are off. */
export const stripeEvents: Route<StripeEventsDependencies> = async (app, services) => {
  const { payments } = services
  if (payments === undefined) return
  // The signature is computed over the raw bytes.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  const options = { schema: { hide: true }, bodyLimit: BODY_BYTES_MAX }
  app.post('/billing/stripe-events', options, async ({ body, headers }) => {
    const event = await readEvent(payments, body, headers['stripe-signature'])
    await receiveEvent(services, payments, event)
    return { received: true }
  })
}

const BAD_SIGNATURE = 'The signature is missing, wrong or too old.'

async function readEvent(
  { client, webhookSecret }: Payments,
  body: unknown,
  signature: string | string[] | undefined,
): Promise<Stripe.Event> {
  if (!Buffer.isBuffer(body) || typeof signature !== 'string') throw new Problem('invalid_request', BAD_SIGNATURE)
  const { webhooks } = await client()
  try {
    return webhooks.constructEvent(body, signature, webhookSecret, TOLERANCE_S)
  } catch (error) {
    const { type } = error as { type?: string }
    if (type === 'StripeSignatureVerificationError') throw new Problem('invalid_request', BAD_SIGNATURE)
    throw error
  }
}
