import { JOB_STATUS_LABELS, reasonLabel } from '@probity/contract/constants/labels'
import { describeTimeLeft } from '@probity/contract/constants/texts/jobs'
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

/** The time left, or the reason why it is not known, as one line. Undefined for a list that has ended. */
export function timeLeft(job: BulkJob, now: number): string | undefined {
  const line = describeTimeLeft(job, { now })
  return line && capitalised(line)
}

function isSoon(at: number, now: number): boolean {
  return at - now < 12 * 3_600_000
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
  throttled: 'delayed by our rate limiter',
}

/** "312 addresses deferred: greylisted by the mail server. Next retry 14:05." */
export function whyWaiting({ reason, count, retry_at: until }: BulkJob['deferred'][number], now: number): string {
  const why = WAITING[reason] ?? reason.replaceAll('_', ' ')
  return `${formatCount(count, 'address', 'addresses')} deferred: ${why}. ${nextTry(until, now)}`
}

function nextTry(until: string, now: number): string {
  const at = Date.parse(until)
  if (at <= now) return 'Retrying soon.'
  return `Next retry ${isSoon(at, now) ? formatClock(at) : formatDateTime(at)}.`
}

/** The stages of a list. Retries are a part of the validation: each of them may return addresses to it. */
export const STAGES = (['queued', 'planning', 'processing', 'completed'] as const).map(
  (state) => JOB_STATUS_LABELS[state],
)

export function stageOf({ status, started_at, finished_at }: BulkJob): number {
  if (finished_at !== null) return STAGES.length
  if (status === 'queued') return 0
  if (status === 'planning') return 1
  // Paused before it started.
  return started_at === null ? 0 : 2
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
