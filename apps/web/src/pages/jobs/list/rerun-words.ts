import { lastingReason } from '@probity/contract/constants/jobs'
import type { BulkJob } from '@probity/sdk'
import { formatCount, formatNumber } from '../../../ui/format.ts'

type Unknowns = Pick<BulkJob, 'status_counts' | 'rerunnable_count'>

/** "67 of 187 unknown addresses", or "187 unknown addresses" if another validation can change all of them. */
export function unknownWords({ status_counts: { unknown }, rerunnable_count: count }: Unknowns): string {
  const all = formatCount(unknown, 'unknown address', 'unknown addresses')
  return count === unknown || count === 0 ? all : `${formatNumber(count)} of ${all}`
}

/** Why the others cannot change: "120 are at providers that do not reveal mailboxes." */
export function lastingWords({ sub_status_counts: counts }: Pick<BulkJob, 'sub_status_counts'>): string[] {
  return Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .flatMap(([subStatus, count]) => {
      const reason = lastingReason(subStatus)
      return reason === undefined ? [] : [`${formatNumber(count)} ${count === 1 ? 'is' : 'are'} ${reason}.`]
    })
}

type Rerun = NonNullable<BulkJob['unknown_rerun']>

/** "12 became valid, 3 invalid. 52 are still unknown." */
export function rerunOutcome({ status_counts: { valid, risky, invalid, unknown } }: Rerun): string {
  const changes = [
    valid > 0 && `${formatNumber(valid)} became valid`,
    risky > 0 && `${formatNumber(risky)} became risky`,
    invalid > 0 && `${formatNumber(invalid)} became invalid`,
  ].filter((part) => part !== false)
  const rest = unknown > 0 && `${formatNumber(unknown)} ${unknown === 1 ? 'is' : 'are'} still unknown`
  return [changes.join(', '), rest].filter((part) => part !== '' && part !== false).join('; ')
}
