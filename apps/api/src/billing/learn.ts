import type { SubscriptionState } from '@probity/database/billing'
import type { Refund } from '@probity/database/payments'
import type Stripe from 'stripe'
import { askStripe } from './ask-stripe.ts'

/** What is the matter, as Stripe says it now. */
export type Lesson =
  | { kind: 'pack'; customer: string; reference: string; refund: Refund }
  | { kind: 'subscription'; customer: string; state: SubscriptionState }
  | { kind: 'period'; customer: string; reference: string; lines: PaidLine[] }
  | { kind: 'nothing'; why: 'event_not_used' | 'not_paid' | 'not_a_pack' | 'not_a_plan' }

export type PaidLine = { price: string; quantity: number }

/**
 * Finds out what an event is about. It is taken as a knock at the door and not at its word: events come late, twice and out of
 * order, and in the form of whatever version the endpoint was made with, so the thing itself is asked for.
 */
export async function learn(stripe: Stripe, { type, data }: Stripe.Event, checkedAt: string): Promise<Lesson> {
  const { id, payment_intent } = data.object as { id: string; payment_intent?: string | { id: string } | null }
  const subject = SUBJECTS.get(type)
  if (subject === 'checkout') return readCheckout(await askStripe(stripe.checkout.sessions.retrieve(id, WITH_CHARGE)))
  if (subject === 'subscription') return readSubscription(await askStripe(stripe.subscriptions.retrieve(id)), checkedAt)
  if (subject === 'invoice') return learnInvoice(stripe, id)
  if (subject === 'charge') return learnRefund(stripe, idOf(payment_intent))
  return { kind: 'nothing', why: 'event_not_used' }
}

/** What the events are about that we act on. */
const SUBJECTS = new Map<Stripe.Event['type'], 'checkout' | 'subscription' | 'invoice' | 'charge'>([
  ['checkout.session.completed', 'checkout'],
  ['checkout.session.async_payment_succeeded', 'checkout'],
  ['customer.subscription.created', 'subscription'],
  ['customer.subscription.updated', 'subscription'],
  ['customer.subscription.deleted', 'subscription'],
  ['customer.subscription.paused', 'subscription'],
  ['customer.subscription.resumed', 'subscription'],
  ['invoice.paid', 'invoice'],
  ['charge.refunded', 'charge'],
])

const WITH_CHARGE = { expand: ['payment_intent.latest_charge'] }

function readCheckout({ id, mode, customer, payment_status, payment_intent }: Stripe.Checkout.Session): Lesson {
  const buyer = idOf(customer)
  // What a subscription gives is told by its own events.
  if (mode !== 'payment' || buyer === undefined) return { kind: 'nothing', why: 'not_a_pack' }
  // Some ways to pay take days; another event comes when the money has.
  if (payment_status === 'unpaid') return { kind: 'nothing', why: 'not_paid' }
  return { kind: 'pack', customer: buyer, reference: id, refund: refundOf(payment_intent) }
}

function refundOf(intent: Stripe.Checkout.Session['payment_intent']): Refund {
  const charge = typeof intent === 'string' ? undefined : intent?.latest_charge
  if (charge === undefined || charge === null || typeof charge === 'string') return { refunded: 0, paid: 0 }
  return { refunded: charge.amount_refunded, paid: charge.amount }
}

/** A refund may be told of before the payment is. Both lead to the same session, and that to the same end. */
async function learnRefund(stripe: Stripe, payment_intent: string | undefined): Promise<Lesson> {
  if (payment_intent === undefined) return { kind: 'nothing', why: 'not_a_pack' }
  const question = { payment_intent, limit: 1, expand: WITH_CHARGE.expand.map((path) => `data.${path}`) }
  const { data } = await askStripe(stripe.checkout.sessions.list(question))
  return data[0] === undefined ? { kind: 'nothing', why: 'not_a_pack' } : readCheckout(data[0])
}

/** While Stripe tries to collect a late payment the plan stays; it says itself when it has given up. */
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
  const { customer, status, parent } = await askStripe(stripe.invoices.retrieve(id))
  const buyer = idOf(customer)
  if (buyer === undefined || parent?.type !== 'subscription_details') return { kind: 'nothing', why: 'not_a_plan' }
  if (status !== 'paid') return { kind: 'nothing', why: 'not_paid' }
  const { data } = await askStripe(stripe.invoices.listLineItems(id, { limit: LINES_MAX }))
  return { kind: 'period', customer: buyer, reference: id, lines: data.flatMap(readLine) }
}

/** A period that was paid for. Settlements between two plans are none, and neither is a trial. */
function readLine({ parent, pricing, quantity, amount }: Stripe.InvoiceLineItem): PaidLine[] {
  const item = parent?.subscription_item_details
  const price = idOf(pricing?.price_details?.price)
  if (!item || item.proration || amount <= 0 || price === undefined) return []
  return [{ price, quantity: quantity ?? 1 }]
}

function idOf(one: string | { id: string } | null | undefined): string | undefined {
  return typeof one === 'object' ? one?.id : one
}
