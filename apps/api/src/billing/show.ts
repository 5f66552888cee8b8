import { Billing, type PlanFeatures } from '@probity/contract/schemas/billing'
import { getAccount, listPlans, type Plan } from '@probity/database/accounts/accounts'
import { findCustomer, findPayingSubscription, listPrices, type Price } from '@probity/database/billing/payments'
import { type Db, inTenant } from '@probity/database/connection/connect'
import type { FastifyBaseLogger } from 'fastify'
import type { Route } from '../http/route.ts'
import type { Payments, PriceTag } from './payments.ts'

type ShowDependencies = {
  db: Db
  payments: Payments | undefined
  log: FastifyBaseLogger
}

/** Prices and the subscription of the account. */
export const showBilling: Route<ShowDependencies> = async (app, services) => {
  const options = { schema: { response: { 200: Billing } }, config: { scope: 'account:read' } } as const
  app.get('/billing', options, async ({ auth }): Promise<Billing> => {
    const { account, plan, plans, offers, customer, subscription } = await readBilling(services.db, auth.accountId)
    const { payments } = services
    const { debt } = account
    const own = { plan: plan.name, features: presentFeatures(plan), debt, subscribed_to: subscription?.price ?? null }
    if (payments === undefined) return { enabled: false, ...own, has_portal: false, packs: [], plans: [] }
    const tagged = await Promise.all(offers.map((offer) => presentOffer(offer, services, payments)))
    return {
      enabled: true,
      ...own,
      has_portal: customer !== undefined,
      packs: tagged.flatMap(({ plan: gives, interval: _, ...pack }) => (gives === null ? [pack] : [])),
      plans: tagged.flatMap(({ plan: gives, ...rest }) => {
        const features = plans.get(gives ?? '')
        return gives === null || features === undefined ? [] : [{ ...rest, plan: gives, features }]
      }),
    }
  })
}

function readBilling(db: Db, accountId: string) {
  return inTenant(db, accountId, async (trx) => {
    const { account, plan } = await getAccount(trx, accountId)
    const offers = (await listPrices(trx)).filter((price) => !price.withdrawn)
    const customer = await findCustomer(trx, accountId)
    const subscription = await findPayingSubscription(trx, accountId)
    const plans = new Map((await listPlans(trx)).map((one) => [one.name, presentFeatures(one)]))
    return { account, plan, plans, offers, customer, subscription }
  })
}

function presentFeatures(plan: Plan): PlanFeatures {
  return {
    api_access: plan.apiAccess,
    ai_enhancement: plan.aiEnhancement,
    catchall_detection: plan.catchallDetection,
    refund_unknown: plan.refundUnknown,
    emails_per_file: plan.emailsPerFile,
    requests_per_window: plan.requestsPerWindow,
    window_s: plan.windowS,
  }
}

const NO_TAG: PriceTag = { amount: null, currency: null, interval: null }

async function presentOffer({ id, plan, credits }: Price, { log }: { log: FastifyBaseLogger }, { tags }: Payments) {
  // The page works while Stripe is unavailable. Stripe shows the amount again before the payment.
  const tag = await tags.find(id).catch((error: unknown) => {
    log.warn({ price: id, err: error }, 'failed to read a price from Stripe')
    return NO_TAG
  })
  return { price: id, plan, credits, ...tag }
}
