import { Checkout } from '@probity/contract/schemas/billing'
import { findPayment } from '@probity/database/billing/payments'
import { type Db, inTenant } from '@probity/database/connection/connect'
import Type from 'typebox'
import { Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { storable } from '../http/storable.ts'

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
