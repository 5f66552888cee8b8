import type { BulkJob } from '@probity/sdk'
import { formatClock, formatCount, formatDateTime, formatNumber } from '../../ui/format.ts'

/** What came out, in one sentence. */
export function outcomeOf({ status_counts: counts, credits, livemode }: BulkJob): string {
  const { valid, risky, invalid, unknown } = counts
  const wasFree = livemode && unknown > 0 && credits.refunded >= unknown
  const parts = [
    valid > 0 && `${formatNumber(valid)} valid`,
    risky > 0 && `${formatNumber(risky)} risky`,
    invalid > 0 && `${formatNumber(invalid)} will bounce`,
    unknown > 0 && `${formatNumber(unknown)} could not be checked${wasFree ? freeOf(unknown) : ''}`,
  ].filter((part) => part !== false)
  return parts.length === 0 ? 'No address has a result.' : `${parts.join(', ')}.`
}

function freeOf(count: number): string {
  return count === 1 ? ' and was not charged' : ' and were not charged'
}

type Unit = { name: string; seconds: number }
const MINUTE: Unit = { name: 'minute', seconds: 60 }
const UNITS: Unit[] = [{ name: 'day', seconds: 86_400 }, { name: 'hour', seconds: 3_600 }, MINUTE]

/** "between 3 and 12 minutes": a range, since nobody knows it better. */
export function timeLeft(eta: BulkJob['eta'], now: number): string | undefined {
  if (eta === null) return undefined
  const low = Math.max(0, Date.parse(eta.earliest_at) - now) / 1_000
  const high = Math.max(low, (Date.parse(eta.latest_at) - now) / 1_000)
  if (high < 60) return 'less than a minute'
  const to = measure(high, Math.ceil)
  if (low < 60) return `up to ${sayOf(to)}`
  const from = measure(low, Math.floor)
  if (from.unit !== to.unit) return `between ${sayOf(from)} and ${sayOf(to)}`
  return from.count === to.count ? `about ${sayOf(to)}` : `between ${from.count} and ${sayOf(to)}`
}

type Measured = { count: number; unit: Unit }

/** In the largest unit of which there are two, so that 90 minutes do not become "2 hours". */
function measure(seconds: number, round: (value: number) => number): Measured {
  const unit = UNITS.find(({ seconds: one }) => seconds >= one * 2) ?? MINUTE
  return { count: round(seconds / unit.seconds), unit }
}

function sayOf({ count, unit }: Measured): string {
  return formatCount(count, unit.name)
}

const WAITING: Record<string, string> = {
  greylisted: 'the mail server asked us to come back later',
  rate_limited: 'the mail server takes no more questions from us for now',
  timeout: 'the mail server did not answer in time',
  connection_failed: 'the mail server could not be reached',
  blocked: 'the mail server refuses us for now',
  dns_failed: 'DNS gave no usable answer',
  mailbox_full: 'the mailbox had no room',
  server_error: 'the mail server answered with an error of its own',
}

/** "312 addresses wait: the mail server asked us to come back later. Next try 14:05." */
export function whyWaiting({ reason, count, retry_at: until }: BulkJob['deferred'][number], now: number): string {
  const why = WAITING[reason] ?? reason.replaceAll('_', ' ')
  return `${formatCount(count, 'address waits', 'addresses wait')}: ${why}. ${nextTry(until, now)}`
}

function nextTry(until: string, now: number): string {
  const at = Date.parse(until)
  if (at <= now) return 'Next in turn.'
  const isSoon = at - now < 12 * 3_600_000
  return `Next try ${isSoon ? formatClock(at) : formatDateTime(at)}.`
}

/** Where a list is on its way. Retrying is all that is left once each address has been asked once. */
export const STAGES = ['Queued', 'Planning', 'Validating', 'Retrying', 'Done'] as const

export function stageOf({ status, started_at, unique_count, done_count, deferred, finished_at }: BulkJob): number {
  if (finished_at !== null) return STAGES.length
  if (status === 'queued') return 0
  if (status === 'planning') return 1
  // Paused before it began.
  if (started_at === null) return 0
  const deferredCount = deferred.reduce((sum, { count }) => sum + count, 0)
  return deferredCount > 0 && done_count + deferredCount >= unique_count ? 3 : 2
}
