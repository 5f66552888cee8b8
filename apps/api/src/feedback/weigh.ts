import { DELIVERY_WEIGHT_MAX } from '@probity/contract/feedback'
import type { Prediction } from '@probity/database/outcome-sums'

/** What a report tells: addresses with a delivery, addresses with a bounce of any kind, and how many there were in all. */
type Sent = { deliveredCount: number; bouncedCount: number; sentTotal: number | undefined }

/**
 * For how many deliveries each reported one stands. Bounces come by themselves and are nearly all reported, deliveries often are
 * not: taken one for one they would make every domain look worse than it is.
 */
export function deliveryWeight({ deliveredCount, bouncedCount, sentTotal }: Sent): number {
  if (sentTotal === undefined || deliveredCount === 0) return 1
  return Math.min(Math.max((sentTotal - bouncedCount) / deliveredCount, 1), DELIVERY_WEIGHT_MAX)
}

/** Whether deliveries are known by their number alone. */
export function isTotalOnly({ deliveredCount, sentTotal }: Sent): boolean {
  return sentTotal !== undefined && deliveredCount === 0
}

/** Surer than this nobody is, and one bounce would have nearly all deliveries. */
const P_MAX = 0.999

/**
 * Shares the deliveries that only a total tells of out among the bounces, by the odds that each address had. So classes keep the
 * distance that was predicted between them, and move together to what the total says.
 */
export function shareDeliveries(bounces: Prediction[], { bouncedCount, sentTotal = 0 }: Sent): number[] {
  // Bounces of which nothing was predicted had their part of the deliveries, too.
  const deliveries = ((sentTotal - bouncedCount) * bounces.length) / bouncedCount
  const odds = bounces.map(({ p }) => p / (1 - Math.min(p, P_MAX)))
  const whole = odds.reduce((sum, one) => sum + one, 0)
  return odds.map((one) => (whole > 0 ? (deliveries * one) / whole : deliveries / bounces.length))
}
