import type { BulkJob } from '@probity/sdk'
import { formatNumber } from '../../../ui/format.ts'

/** What the list has cost in the end; in test mode nothing does. */
export function creditsOf({ credits: { used, refunded }, livemode }: BulkJob): string {
  return livemode ? formatNumber(used - refunded) : 'None'
}
