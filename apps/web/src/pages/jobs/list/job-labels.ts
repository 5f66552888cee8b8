import { reasonLabel } from '@probity/contract/constants/labels'
import { SUB_STATUSES } from '@probity/contract/constants/validations'
import type { BulkJob } from '@probity/sdk'
import { providerName } from '../../../labels/provider-names.ts'
import { formatClock, formatCount, formatDateTime, formatNumber } from '../../../ui/format.ts'

/** The verdict counts as one sentence. */
export function outcomeOf({ status_counts: counts, credits, livemode, finished_at }: BulkJob): string {
  const { valid, risky, invalid, unknown } = counts
  const wasFree = livemode && unknown > 0 && credits.refunded >= unknown
  const parts = [
    valid > 0 && `${formatNumber(valid)} valid`,
    risky > 0 && `${formatNumber(risky)} risky`,
    invalid > 0 && `${formatNumber(invalid)} invalid`,
    unknown > 0 && `${formatNumber(unknown)} unknown${wasFree ? ' (not charged)' : ''}`,
  ].filter((part) => part !== false)
  if (parts.length === 0) return finished_at === null ? 'No results yet.' : 'No results.'
  return `${formatCount(valid + risky + invalid + unknown, 'address', 'addresses')} validated: ${parts.join(', ')}.`
}

type Unit = { name: string; seconds: number }
const MINUTE: Unit = { name: 'minute', seconds: 60 }
const UNITS: Unit[] = [{ name: 'day', seconds: 86_400 }, { name: 'hour', seconds: 3_600 }, MINUTE]

/** "between 3 and 12 minutes": a range, since the estimate is no more precise. */
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

/** Uses the largest unit with a count of two or more, so that 90 minutes do not become "2 hours". */
function measure(seconds: number, round: (value: number) => number): Measured {
  const unit = UNITS.find(({ seconds: one }) => seconds >= one * 2) ?? MINUTE
  return { count: round(seconds / unit.seconds), unit }
}

function sayOf({ count, unit }: Measured): string {
  return formatCount(count, unit.name)
}

const WAITING: Record<string, string> = {
  greylisted: 'greylisted by the mail server',
  rate_limited: 'rate-limited by the mail server',
  timeout: 'no response from the mail server',
  connection_failed: 'connection to the mail server failed',
  blocked: 'blocked by the mail server',
  dns_failed: 'DNS lookup failed',
  mailbox_full: 'mailbox full',
  server_error: 'mail server error',
}

/** "312 addresses deferred: greylisted by the mail server. Next retry 14:05." */
export function whyWaiting({ reason, count, retry_at: until }: BulkJob['deferred'][number], now: number): string {
  const why = WAITING[reason] ?? reason.replaceAll('_', ' ')
  return `${formatCount(count, 'address', 'addresses')} deferred: ${why}. ${nextTry(until, now)}`
}

function nextTry(until: string, now: number): string {
  const at = Date.parse(until)
  if (at <= now) return 'Retrying soon.'
  const isSoon = at - now < 12 * 3_600_000
  return `Next retry ${isSoon ? formatClock(at) : formatDateTime(at)}.`
}

/** The stages of a list. It is retrying once only deferred addresses remain. */
export const STAGES = ['Queued', 'Planning', 'Validating', 'Retrying', 'Completed'] as const

export function stageOf({ status, started_at, unique_count, done_count, deferred, finished_at }: BulkJob): number {
  if (finished_at !== null) return STAGES.length
  if (status === 'queued') return 0
  if (status === 'planning') return 1
  // Paused before it started.
  if (started_at === null) return 0
  const deferredCount = deferred.reduce((sum, { count }) => sum + count, 0)
  return deferredCount > 0 && done_count + deferredCount >= unique_count ? 3 : 2
}

const REASONS: Record<string, { meaning: string } | undefined> = SUB_STATUSES

export const reasonWord = reasonLabel

export function reasonMeaning(subStatus: string): string | undefined {
  const meaning = subStatus === '' ? undefined : REASONS[subStatus]?.meaning
  return meaning && capitalised(meaning)
}

export function providerWord(provider: string): string {
  return provider === '' ? 'Other' : providerName(provider)
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
