import { PaymentPage, StartCheckout } from '@probity/contract/schemas/billing'
import { findAccount } from '@probity/database/accounts/accounts'
import {
  findCustomer,
  findOffer,
  findPayingSubscription,
  offerPayment,
  type Price,
  saveCustomer,
} from '@probity/database/billing/payments'
import { type Db, inTenant } from '@probity/database/connection/connect'
import type Stripe from 'stripe'
import { Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { askStripe } from './call-stripe.ts'
import { keepNewestPage, refuseSubscribed } from './one-subscription.ts'
import type { Payments } from './payments.ts'
import { getPayments } from './payments.ts'

type CheckoutDependencies = {
  db: Db
  payments: Payments | undefined
}

/** Opens a page of Stripe's where a pack of credits or a plan is paid for. Nothing is given before Stripe says that it was. */
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
  return askStripe(stripe.checkout.sessions.create(session))
}

/** There is one page at a time on which the account can subscribe, and none while it is subscribed. */
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
  return new Problem('invalid_request', undefined, { errors: [{ pointer, detail }] })
}

/** Stripe customer of the account, created at its first purchase. Stripe receives only the account id. */
async function getCustomer(db: Db, stripe: Stripe, accountId: string): Promise<string> {
  const known = await inTenant(db, accountId, (trx) => findCustomer(trx, accountId))
  if (known !== undefined) return known
  // Two purchases at once ask with one key, and get one customer.
  const once = { idempotencyKey: `probity-customer-${accountId}` }
  const { id } = await askStripe(stripe.customers.create({ metadata: { account_id: accountId } }, once))
  return inTenant(db, accountId, (trx) => saveCustomer(trx, accountId, id))
}
