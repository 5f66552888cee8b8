import type { BulkJob } from '@probity/sdk'
import { formatNumber } from '../../../ui/format.ts'

/** The credits charged for a list after refunds. Test mode is free. */
export function creditsOf({ credits: { used, refunded }, livemode }: BulkJob): string {
  return livemode ? formatNumber(used - refunded) : 'None'
}
