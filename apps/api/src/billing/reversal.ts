import type { Reversal } from '@probity/database/billing/payments'
import type Stripe from 'stripe'
import { askStripe } from './call-stripe.ts'

/**
 * Dispute statuses in which no money is withdrawn: it was returned (won), an inquiry asks questions only (warning_*), or a refund took
 * the place of the dispute (prevented), which the charge counts as refunded. In every other status, a new one too, the money is gone.
 */
const NOT_WITHDRAWN = new Set(['won', 'warning_needs_response', 'warning_under_review', 'warning_closed', 'prevented'])

const DISPUTES_MAX = 100

/** How much of the payments that were made through these PaymentIntents, with their latest charge, is refunded or disputed. */
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
  const { data } = await askStripe(stripe.disputes.list({ payment_intent, limit: DISPUTES_MAX }))
  return data.filter(({ status }) => !NOT_WITHDRAWN.has(status))
}

/** An amount in another currency cannot be compared, so the whole charge counts. */
function disputedAmount(dispute: Stripe.Dispute, charge: Stripe.Charge): number {
  return dispute.currency === charge.currency ? dispute.amount : charge.amount
}
