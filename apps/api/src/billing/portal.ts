import { PaymentPage } from '@probity/contract/schemas/billing'
import { findCustomer } from '@probity/database/billing/payments'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { askStripe } from './call-stripe.ts'
import type { Payments } from './payments.ts'
import { getPayments } from './payments.ts'

type PortalDependencies = {
  db: Db
  payments: Payments | undefined
}

/** Opens Stripe's page with the account's invoices, ways to pay and plan. */
export const openPortal: Route<PortalDependencies> = async (app, services) => {
  const options = { schema: { response: { 200: PaymentPage } }, config: { scope: 'account:write' } } as const
  app.post('/billing/portal', options, async ({ auth: { accountId } }) => {
    const payments = getPayments(services)
    const customer = await inTenant(services.db, accountId, (trx) => findCustomer(trx, accountId))
    if (customer === undefined) throw new Problem('not_found', 'The account has no purchases yet.')
    const { billingPortal } = await payments.client()
    const return_url = `${payments.publicUrl}/app/billing`
    const { url } = await askStripe(billingPortal.sessions.create({ customer, return_url }))
    return { url }
  })
}
