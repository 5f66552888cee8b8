import { Checkout, PaymentPage, StartCheckout } from '@probity/contract/schemas/billing'
import { findAccount } from '@probity/database/accounts/accounts'
import {
  findCustomer,
  findOffer,
  findPayingSubscription,
  findPayment,
  offerPayment,
  type Price,
  saveCustomer,
} from '@probity/database/billing/payments'
import { type Db, inTenant } from '@probity/database/connection/connect'
import type Stripe from 'stripe'
import Type from 'typebox'
import { invalidField, Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { storable } from '../http/text.ts'
import { getPayments, type Payments, requestStripe } from './payments.ts'

/** More checkout pages than a customer opens within a day, after which Stripe expires them. */
const PAGES_MAX = 100

/** Subscription statuses in which the customer pays or is about to pay. */
const STANDING = new Set(['active', 'trialing', 'past_due', 'incomplete', 'unpaid', 'paused'])

/** Asks Stripe directly, because the event of a recent payment may not have arrived. */
export async function refuseSubscribed(stripe: Stripe, customer: string): Promise<void> {
  const { data } = await requestStripe(stripe.subscriptions.list({ customer, limit: PAGES_MAX }))
  if (data.some(({ status }) => STANDING.has(status))) throw new Problem('already_subscribed')
}

/**
 * Closes all open subscription pages of the customer except the newest, so that a customer cannot pay twice. Returns the page that stays
 * open: if two were opened in the same second, both clients are sent to the same one.
 */
export async function keepNewestPage(stripe: Stripe, customer: string): Promise<Stripe.Checkout.Session | undefined> {
  const { data } = await requestStripe(stripe.checkout.sessions.list({ customer, status: 'open', limit: PAGES_MAX }))
  const pages = data.filter(({ mode }) => mode === 'subscription')
  const [newest, ...others] = pages.toSorted((a, b) => b.created - a.created || (a.id < b.id ? 1 : -1))
  const closed = await Promise.all(others.map(({ id }) => closePage(stripe, id)))
  if (newest === undefined || !closed.includes('paid')) return newest
  await closePage(stripe, newest.id)
  throw new Problem('already_subscribed')
}

/** Stripe rejects closing a page that is closed already or has just been paid. */
async function closePage(stripe: Stripe, id: string): Promise<'closed' | 'paid'> {
  try {
    await stripe.checkout.sessions.expire(id)
    return 'closed'
  } catch (error) {
    const { type } = error as { type?: string }
    if (type !== 'StripeInvalidRequestError') return requestStripe(Promise.reject(error))
    const { status } = await requestStripe(stripe.checkout.sessions.retrieve(id))
    return status === 'complete' ? 'paid' : 'closed'
  }
}

type CheckoutDependencies = {
  db: Db
  payments: Payments | undefined
}

/** Creates a Stripe Checkout page for a credit pack or a plan. Credits are granted only after Stripe confirms the payment. */
export const startCheckout: Route<CheckoutDependencies> = async (app, services) => {
  const { db } = services
  const options = {
    schema: { body: StartCheckout, response: { 200: PaymentPage } },
    config: { scope: 'account:write' },
  } as const
  app.post('/billing/checkout', options, async ({ auth: { accountId }, body: { price, quantity = 1 } }) => {
    const payments = getPayments(services)
    const { offer, slug } = await getOffer(db, accountId, { price, quantity })
    const stripe = await payments.client()
    const customer = await getCustomer(db, stripe, accountId)
    const order = { price, quantity, customer, accountId, ...returnTo(payments.publicUrl, slug, offer) }
    if (offer.plan !== null) return { url: await openPlanPage(stripe, order) }
    const session = await openPage(stripe, 'payment', order)
    const promised = { reference: session.id, credits: offer.credits * quantity }
    // Stored before the page is shown, so that every payment has a known purchase.
    await inTenant(db, accountId, (trx) => offerPayment(trx, accountId, promised))
    return { url: urlOf(session) }
  })
}

type Order = ReturnType<typeof returnTo> & Required<StartCheckout> & { customer: string; accountId: string }

function openPage(stripe: Stripe, mode: 'payment' | 'subscription', order: Order): Promise<Stripe.Checkout.Session> {
  const { price, quantity, customer, accountId, success_url, cancel_url } = order
  const line_items = [{ price, quantity }]
  const session = { mode, customer, client_reference_id: accountId, line_items, success_url, cancel_url }
  return requestStripe(stripe.checkout.sessions.create(session))
}

/** An account has at most one open subscription page, and none while it is subscribed. */
async function openPlanPage(stripe: Stripe, order: Order): Promise<string> {
  await refuseSubscribed(stripe, order.customer)
  const session = await openPage(stripe, 'subscription', order)
  return urlOf((await keepNewestPage(stripe, order.customer)) ?? session)
}

function urlOf({ url }: Stripe.Checkout.Session): string {
  if (url === null) throw new Error('Stripe created a Checkout session without a URL')
  return url
}

/** Return URL for the same account. Stripe inserts the id of the session. */
function returnTo(publicUrl: string, slug: string | null, { plan }: Price) {
  const back = `${publicUrl}/app/billing?${slug === null ? '' : `org=${slug}&`}checkout=`
  const done = plan === null ? 'paid&session={CHECKOUT_SESSION_ID}' : 'subscribed'
  return { success_url: `${back}${done}`, cancel_url: `${back}canceled` }
}

async function getOffer(db: Db, accountId: string, { price, quantity }: Required<StartCheckout>) {
  const { offer, subscription, slug } = await inTenant(db, accountId, async (trx) => ({
    offer: await findOffer(trx, price),
    subscription: await findPayingSubscription(trx, accountId),
    slug: (await findAccount(trx, accountId))?.slug ?? null,
  }))
  if (offer === undefined) throw faultAt('/price', 'is not for sale')
  if (offer.plan === null) return { offer, slug }
  if (quantity !== 1) throw faultAt('/quantity', 'must be 1 for a plan')
  if (subscription !== undefined) throw new Problem('already_subscribed')
  return { offer, slug }
}

function faultAt(pointer: string, detail: string): Problem {
  return invalidField(pointer, detail)
}

/** Stripe customer of the account, created at its first purchase. Stripe receives only the account id. */
async function getCustomer(db: Db, stripe: Stripe, accountId: string): Promise<string> {
  const known = await inTenant(db, accountId, (trx) => findCustomer(trx, accountId))
  if (known !== undefined) return known
  // Concurrent purchases use the same idempotency key and get the same customer.
  const once = { idempotencyKey: `probity-customer-${accountId}` }
  const { id } = await requestStripe(stripe.customers.create({ metadata: { account_id: accountId } }, once))
  return inTenant(db, accountId, (trx) => saveCustomer(trx, accountId, id))
}

const Session = Type.Object({ session: Type.String({ minLength: 1, maxLength: 250 }) })

/** Whether a payment has arrived. Users return from Stripe before its event does. */
export const showCheckout: Route<{ db: Db }> = async (app, { db }) => {
  const options = {
    schema: { params: Session, response: { 200: Checkout } },
    config: { scope: 'account:read' },
  } as const
  app.get('/billing/checkout/:session', options, async ({ auth: { accountId }, params }): Promise<Checkout> => {
    const payment = await inTenant(db, accountId, (trx) => findPayment(trx, accountId, storable(params.session)))
    if (payment === undefined) throw new Problem('not_found', 'Payment not found.')
    return { credits: payment.credits, granted: payment.grantedAt !== null }
  })
}

type PortalDependencies = {
  db: Db
  payments: Payments | undefined
}

/** Opens the Stripe billing portal with the account's invoices, payment methods and plan. */
export const openPortal: Route<PortalDependencies> = async (app, services) => {
  const options = { schema: { response: { 200: PaymentPage } }, config: { scope: 'account:write' } } as const
  app.post('/billing/portal', options, async ({ auth: { accountId } }) => {
    const payments = getPayments(services)
    const customer = await inTenant(services.db, accountId, (trx) => findCustomer(trx, accountId))
    if (customer === undefined) throw new Problem('not_found', 'The account has no purchases yet.')
    const { billingPortal } = await payments.client()
    const return_url = `${payments.publicUrl}/app/billing`
    const { url } = await requestStripe(billingPortal.sessions.create({ customer, return_url }))
    return { url }
  })
}
