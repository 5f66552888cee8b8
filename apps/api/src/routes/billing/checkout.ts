import { PaymentPage, StartCheckout } from '@probity/contract/billing'
import { findCustomer, findPayingSubscription, saveCustomer } from '@probity/database/billing'
import { type Db, inTenant } from '@probity/database/connect'
import { offerPayment } from '@probity/database/payments'
import { findOffer, type Price } from '@probity/database/prices'
import type Stripe from 'stripe'
import { askStripe } from '../../billing/ask-stripe.ts'
import { getPayments } from '../../billing/payments.ts'
import { Problem } from '../../problem.ts'
import type { Route } from '../../route.ts'

/** Opens a page of Stripe's where a pack of credits or a plan is paid for. Nothing is given before Stripe says that it was. */
export const startCheckout: Route = async (app, services) => {
  const { db } = services
  const options = {
    schema: { body: StartCheckout, response: { 200: PaymentPage } },
    config: { scope: 'settings' },
  } as const
  app.post('/billing/checkout', options, async ({ caller: { accountId }, body: { price, quantity = 1 } }) => {
    const payments = getPayments(services)
    const offer = await getOffer(db, accountId, { price, quantity })
    const stripe = await payments.client()
    const customer = await getCustomer(db, stripe, accountId)
    const back = `${payments.publicUrl}/app/billing`
    const session = await askStripe(
      stripe.checkout.sessions.create({
        mode: offer.plan === null ? 'payment' : 'subscription',
        customer,
        client_reference_id: accountId,
        line_items: [{ price, quantity }],
        success_url: `${back}?checkout=done`,
        cancel_url: `${back}?checkout=cancelled`,
      }),
    )
    if (session.url === null) throw new Error('Stripe opened a Checkout session without a page')
    if (offer.plan === null) {
      const promised = { reference: session.id, credits: offer.credits * quantity }
      // Kept before anybody sees the page, so that no payment comes for what we do not know.
      await inTenant(db, accountId, (trx) => offerPayment(trx, accountId, promised))
    }
    return { url: session.url }
  })
}

async function getOffer(db: Db, accountId: string, { price, quantity }: Required<StartCheckout>): Promise<Price> {
  const { offer, subscription } = await inTenant(db, accountId, async (trx) => ({
    offer: await findOffer(trx, price),
    subscription: await findPayingSubscription(trx, accountId),
  }))
  if (offer === undefined) throw faultAt('/price', 'is not for sale')
  if (offer.plan === null) return offer
  if (quantity !== 1) throw faultAt('/quantity', 'must be 1 for a plan')
  if (subscription !== undefined) throw new Problem('already_subscribed')
  return offer
}

function faultAt(pointer: string, detail: string): Problem {
  return new Problem('invalid_request', undefined, { errors: [{ pointer, detail }] })
}

/** Who the account is at Stripe, made there at its first purchase. All that Stripe learns of it from us is its id. */
async function getCustomer(db: Db, stripe: Stripe, accountId: string): Promise<string> {
  const known = await inTenant(db, accountId, (trx) => findCustomer(trx, accountId))
  if (known !== undefined) return known
  // Two purchases at once ask with one key, and get one customer.
  const once = { idempotencyKey: `probity-customer-${accountId}` }
  const { id } = await askStripe(stripe.customers.create({ metadata: { account_id: accountId } }, once))
  return inTenant(db, accountId, (trx) => saveCustomer(trx, accountId, id))
}
