import type { Reversal, SubscriptionState } from '@probity/database/billing/payments'
import type Stripe from 'stripe'
import { requestStripe } from './payments.ts'

/**
 * Dispute statuses in which no money is withdrawn: it was returned (won), an inquiry asks questions only (warning_*), or a refund replaced
 * the
 * dispute (prevented), which the charge counts as refunded. In every other status, also in future ones, the money is withdrawn.
 */
const NOT_WITHDRAWN = new Set(['won', 'warning_needs_response', 'warning_under_review', 'warning_closed', 'prevented'])

const DISPUTES_MAX = 100

/** Refunded and disputed amounts of the payments made through these PaymentIntents, with their latest charge. */
export async function readReversal(stripe: Stripe, intents: Stripe.PaymentIntent[]): Promise<Reversal> {
  const all = await Promise.all(intents.map((intent) => readIntent(stripe, intent)))
  return {
    paid: all.reduce((sum, { paid }) => sum + paid, 0),
    lost: all.reduce((sum, { lost }) => sum + lost, 0),
    isDisputed: all.some(({ isDisputed }) => isDisputed),
  }
}

async function readIntent(stripe: Stripe, { id, latest_charge: charge }: Stripe.PaymentIntent): Promise<Reversal> {
  if (charge === null || typeof charge === 'string') return { paid: 0, lost: 0, isDisputed: false }
  const disputes = charge.disputed ? await listWithdrawn(stripe, id) : []
  const disputed = disputes.reduce((sum, dispute) => sum + disputedAmount(dispute, charge), 0)
  const lost = Math.min(charge.amount, charge.amount_refunded + disputed)
  return { paid: charge.amount, lost, isDisputed: disputes.length > 0 }
}

async function listWithdrawn(stripe: Stripe, payment_intent: string): Promise<Stripe.Dispute[]> {
  const { data } = await requestStripe(stripe.disputes.list({ payment_intent, limit: DISPUTES_MAX }))
  return data.filter(({ status }) => !NOT_WITHDRAWN.has(status))
}

/** An amount in another currency cannot be compared, so the whole charge counts. */
function disputedAmount(dispute: Stripe.Dispute, charge: Stripe.Charge): number {
  return dispute.currency === charge.currency ? dispute.amount : charge.amount
}

/** The current state at Stripe of the object that an event names. */
export type Lesson =
  | { kind: 'pack'; customer: string; reference: string; reversal: Reversal }
  | { kind: 'subscription'; customer: string; state: SubscriptionState }
  | { kind: 'period'; customer: string; reference: string; lines: PaidLine[]; reversal: Reversal }
  | { kind: 'nothing'; why: 'event_not_used' | 'not_paid' | 'not_a_pack' | 'not_a_plan' | 'unknown_payment' }

export type PaidLine = { price: string; quantity: number }

/**
 * Fetches the object of an event from Stripe. The payload is only a hint: events arrive late, twice and out of order, in the
 * format of the API version that the endpoint was created with.
 */
export async function learn(stripe: Stripe, { type, data }: Stripe.Event, checkedAt: string): Promise<Lesson> {
  const { id, payment_intent } = data.object as { id: string; payment_intent?: string | { id: string } | null }
  const subject = SUBJECTS.get(type)
  if (subject === 'checkout')
    return readCheckout(stripe, await requestStripe(stripe.checkout.sessions.retrieve(id, WITH_CHARGE)))
  if (subject === 'subscription')
    return readSubscription(await requestStripe(stripe.subscriptions.retrieve(id)), checkedAt)
  if (subject === 'invoice') return learnInvoice(stripe, id)
  if (subject === 'payment') return learnPayment(stripe, idOf(payment_intent))
  return { kind: 'nothing', why: 'event_not_used' }
}

/** The kind of object that each processed event names. Charges, refunds and disputes lead to the payment that they belong to. */
const SUBJECTS = new Map<Stripe.Event['type'], 'checkout' | 'subscription' | 'invoice' | 'payment'>([
  ['checkout.session.completed', 'checkout'],
  ['checkout.session.async_payment_succeeded', 'checkout'],
  ['customer.subscription.created', 'subscription'],
  ['customer.subscription.updated', 'subscription'],
  ['customer.subscription.deleted', 'subscription'],
  ['customer.subscription.paused', 'subscription'],
  ['customer.subscription.resumed', 'subscription'],
  ['invoice.paid', 'invoice'],
  ['charge.refunded', 'payment'],
  ['charge.refund.updated', 'payment'],
  ['refund.created', 'payment'],
  ['refund.updated', 'payment'],
  ['refund.failed', 'payment'],
  ['charge.dispute.created', 'payment'],
  ['charge.dispute.updated', 'payment'],
  ['charge.dispute.funds_withdrawn', 'payment'],
  ['charge.dispute.funds_reinstated', 'payment'],
  ['charge.dispute.closed', 'payment'],
])

const WITH_CHARGE = { expand: ['payment_intent.latest_charge'] }

async function readCheckout(stripe: Stripe, session: Stripe.Checkout.Session): Promise<Lesson> {
  const { id, mode, customer, payment_status, payment_intent } = session
  const buyer = idOf(customer)
  // Subscriptions have their own events.
  if (mode !== 'payment' || buyer === undefined) return { kind: 'nothing', why: 'not_a_pack' }
  // Some payment methods take days; another event follows the payment.
  if (payment_status === 'unpaid') return { kind: 'nothing', why: 'not_paid' }
  const isExpanded = payment_intent !== null && typeof payment_intent === 'object'
  const reversal = await readReversal(stripe, isExpanded ? [payment_intent] : [])
  return { kind: 'pack', customer: buyer, reference: id, reversal }
}

/**
 * Finds the Checkout session or the invoice that was paid. The event of a refund or a dispute can arrive before that of the payment; both
 * lead to the same state.
 */
async function learnPayment(stripe: Stripe, payment_intent: string | undefined): Promise<Lesson> {
  if (payment_intent === undefined) return { kind: 'nothing', why: 'unknown_payment' }
  const expand = WITH_CHARGE.expand.map((path) => `data.${path}`)
  const sessions = await requestStripe(stripe.checkout.sessions.list({ payment_intent, limit: 1, expand }))
  const pack = sessions.data.find(({ mode }) => mode === 'payment')
  if (pack !== undefined) return readCheckout(stripe, pack)
  const payment = { type: 'payment_intent', payment_intent } as const
  const invoices = await requestStripe(stripe.invoicePayments.list({ payment, limit: 1 }))
  const invoice = idOf(invoices.data[0]?.invoice)
  return invoice === undefined ? { kind: 'nothing', why: 'unknown_payment' } : learnInvoice(stripe, invoice)
}

/** The plan is kept while Stripe retries a late payment; Stripe reports when it gives up. */
const PAYING = new Set(['active', 'trialing', 'past_due'])

function readSubscription({ id, customer, status, items, created }: Stripe.Subscription, checkedAt: string): Lesson {
  const buyer = idOf(customer)
  const price = items.data[0]?.price.id
  if (buyer === undefined || price === undefined) return { kind: 'nothing', why: 'not_a_plan' }
  const state = { id, price, isPaid: PAYING.has(status), beganAt: new Date(created * 1000), checkedAt }
  return { kind: 'subscription', customer: buyer, state }
}

const LINES_MAX = 100

async function learnInvoice(stripe: Stripe, id: string): Promise<Lesson> {
  const { customer, status, parent } = await requestStripe(stripe.invoices.retrieve(id))
  const buyer = idOf(customer)
  if (buyer === undefined || parent?.type !== 'subscription_details') return { kind: 'nothing', why: 'not_a_plan' }
  if (status !== 'paid') return { kind: 'nothing', why: 'not_paid' }
  const { data } = await requestStripe(stripe.invoices.listLineItems(id, { limit: LINES_MAX }))
  const paid = await requestStripe(stripe.invoicePayments.list({ invoice: id, status: 'paid', limit: LINES_MAX }))
  const ids = paid.data.flatMap(({ payment }) => idOf(payment.payment_intent) ?? [])
  const intents = ids.map((intent) =>
    requestStripe(stripe.paymentIntents.retrieve(intent, { expand: ['latest_charge'] })),
  )
  const reversal = await readReversal(stripe, await Promise.all(intents))
  return { kind: 'period', customer: buyer, reference: id, lines: data.flatMap(readLine), reversal }
}

/** A paid period. Prorations between two plans and trials are not paid periods. */
function readLine({ parent, pricing, quantity, amount }: Stripe.InvoiceLineItem): PaidLine[] {
  const item = parent?.subscription_item_details
  const price = idOf(pricing?.price_details?.price)
  if (!item || item.proration || amount <= 0 || price === undefined) return []
  return [{ price, quantity: quantity ?? 1 }]
}

function idOf(one: string | { id: string } | null | undefined): string | undefined {
  return typeof one === 'object' ? one?.id : one
}
