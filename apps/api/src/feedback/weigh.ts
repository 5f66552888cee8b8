import { DELIVERY_WEIGHT_MAX } from '@probity/contract/constants/limits'
import type { Prediction } from '@probity/database/feedback/outcome-sums'

/** Counts of a report: delivered addresses, bounced addresses of any kind, and the total. */
type Sent = { deliveredCount: number; bouncedCount: number; sentTotal: number | undefined }

/**
 * The weight of a reported delivery. Nearly all bounces are reported, but many deliveries are not: equal weights would underestimate
 * every domain.
 */
export function deliveryWeight({ deliveredCount, bouncedCount, sentTotal }: Sent): number {
  if (sentTotal === undefined || deliveredCount === 0) return 1
  return Math.min(Math.max((sentTotal - bouncedCount) / deliveredCount, 1), DELIVERY_WEIGHT_MAX)
}

/** Whether a report contains only the number of deliveries. */
export function isTotalOnly({ deliveredCount, sentTotal }: Sent): boolean {
  return sentTotal !== undefined && deliveredCount === 0
}

/** Upper bound on p, so that one bounce cannot absorb nearly all deliveries. */
const P_MAX = 0.999

/**
 * Distributes deliveries that are known only as a total over the classes of the bounces, by the odds of each address. Classes keep their
 * predicted distance and move together towards the total.
 */
export function shareDeliveries(bounces: Prediction[], { bouncedCount, sentTotal = 0 }: Sent): number[] {
  // Bounces without a prediction get their share of the deliveries, too.
  const deliveries = ((sentTotal - bouncedCount) * bounces.length) / bouncedCount
  const odds = bounces.map(({ p }) => p / (1 - Math.min(p, P_MAX)))
  const whole = odds.reduce((sum, one) => sum + one, 0)
  return odds.map((one) => (whole > 0 ? (deliveries * one) / whole : deliveries / bounces.length))
}
