import { JOB_STATUS_LABELS, reasonLabel } from '@probity/contract/constants/labels'
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

/** "About 20 s": at the rate of the last minute, without deferred addresses. Undefined if nothing is left or the rate is not known. */
export function timeLeft(job: BulkJob): string | undefined {
  const open = job.unique_count - job.done_count - deferredCount(job)
  if (open <= 0 || job.rate_per_s === 0) return undefined
  const seconds = open / job.rate_per_s
  // Test mode contacts no mail server. Its first seconds say little about the rate.
  if (!job.livemode && seconds > 50) return 'Less than a minute'
  if (seconds < 5) return 'A few seconds'
  if (seconds < 90) return `About ${Math.ceil(seconds / 5) * 5} s`
  const unit = UNITS.find((one) => seconds >= one.seconds * 2) ?? MINUTE
  return `About ${formatCount(Math.round(seconds / unit.seconds), unit.name)}`
}

type Unit = { name: string; seconds: number }
const MINUTE: Unit = { name: 'minute', seconds: 60 }
/** The largest unit with a count of two or more, so that 90 minutes do not become "2 hours". */
const UNITS: Unit[] = [{ name: 'day', seconds: 86_400 }, { name: 'hour', seconds: 3_600 }, MINUTE]

/** The addresses that decide when the list ends: "27 addresses wait for their servers; the last attempt is at 21:57." */
export function waitingTail(job: BulkJob, now: number): string | undefined {
  const count = deferredCount(job)
  if (count === 0) return undefined
  const last = Math.max(...job.deferred.map(({ last_retry_at }) => Date.parse(last_retry_at)))
  const noun = count === 1 ? 'address waits for its server' : 'addresses wait for their servers'
  return `${formatNumber(count)} ${noun}; the last attempt is ${isSoon(last, now) ? `at ${formatClock(last)}` : `on ${formatDateTime(last)}`}.`
}

function deferredCount({ deferred }: BulkJob): number {
  return deferred.reduce((sum, { count }) => sum + count, 0)
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
const STAGES = (['queued', 'planning', 'processing', 'completed'] as const).map((state) => JOB_STATUS_LABELS[state])

/** Whether only deferred addresses remain. */
export function isRetrying(job: BulkJob): boolean {
  const waiting = deferredCount(job)
  return job.started_at !== null && waiting > 0 && job.done_count + waiting >= job.unique_count
}

/** The stages, with the number of addresses that are retried once only these remain. */
export function stagesOf(job: BulkJob): string[] {
  const retrying = isRetrying(job) ? ` · ${formatNumber(deferredCount(job))} retrying` : ''
  return STAGES.map((stage, n) => (n === 2 ? `${stage}${retrying}` : stage))
}

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
