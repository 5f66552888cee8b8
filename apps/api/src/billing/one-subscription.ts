import type Stripe from 'stripe'
import { Problem } from '../http/problem.ts'
import { askStripe } from './call-stripe.ts'

/** More than anybody opens within the day for which Stripe keeps a page open. */
const PAGES_MAX = 100

/** Those in which a customer pays, or is about to. */
const STANDING = new Set(['active', 'trialing', 'past_due', 'incomplete', 'unpaid', 'paused'])

/** Asks Stripe itself: what was paid a moment ago has not been told to us yet. */
export async function refuseSubscribed(stripe: Stripe, customer: string): Promise<void> {
  const { data } = await askStripe(stripe.subscriptions.list({ customer, limit: PAGES_MAX }))
  if (data.some(({ status }) => STANDING.has(status))) throw new Problem('already_subscribed')
}

/**
 * Of all pages on which the customer could subscribe, closes those before the newest, so that nobody pays on two. Returns the one that
 * stays: of two that were opened in the same second both clients are sent to one and the same.
 */
export async function keepNewestPage(stripe: Stripe, customer: string): Promise<Stripe.Checkout.Session | undefined> {
  const { data } = await askStripe(stripe.checkout.sessions.list({ customer, status: 'open', limit: PAGES_MAX }))
  const pages = data.filter(({ mode }) => mode === 'subscription')
  const [newest, ...others] = pages.toSorted((a, b) => b.created - a.created || (a.id < b.id ? 1 : -1))
  const closed = await Promise.all(others.map(({ id }) => closePage(stripe, id)))
  if (newest === undefined || !closed.includes('paid')) return newest
  await closePage(stripe, newest.id)
  throw new Problem('already_subscribed')
}

/** A page that cannot be closed is one that is closed already, or on which somebody has just paid. */
async function closePage(stripe: Stripe, id: string): Promise<'closed' | 'paid'> {
  try {
    await stripe.checkout.sessions.expire(id)
    return 'closed'
  } catch (error) {
    const { type } = error as { type?: string }
    if (type !== 'StripeInvalidRequestError') return askStripe(Promise.reject(error))
    const { status } = await askStripe(stripe.checkout.sessions.retrieve(id))
    return status === 'complete' ? 'paid' : 'closed'
  }
}
