/** One wording for the lines, the cost and the time left of a job, for the web app, the CLI, emails and MCP. */

import type { SeveralAddresses } from '../jobs.ts'

const COUNT = new Intl.NumberFormat('en')

/** "85 credits charged, 120 refunded for unknown results". */
export function describeCharge({ charged, refunded }: { charged: number; refunded: number }): string {
  const cost = `${countOf(charged, 'credit')} charged`
  return refunded === 0 ? cost : `${cost}, ${COUNT.format(refunded)} refunded for unknown results`
}

/** The counts of a preview, a job or a report. */
export type LineCounts = {
  line_count: number
  extra_address_count: number
  blank_count: number
  empty_count: number
  not_address_count: number
  left_out_count: number
  duplicate_count: number
  unique_count: number
  several_addresses?: SeveralAddresses
  /** The addresses that have a result; all if undefined. */
  done_count?: number
  /** Null until the list has ended. */
  finished_at?: string | null
}

/**
 * "2,000 lines: 40 blank, 57 without an address, 12 malformed, 247 duplicates, 1,644 validated". The parts add up to the lines and second
 * addresses; those that are zero are omitted.
 */
export function describeLines(counts: LineCounts): string {
  const { extra_address_count: second, duplicate_count: repeated, unique_count: unique } = counts
  const { done_count: done = unique, finished_at: end = null } = counts
  const lines = countOf(counts.line_count, 'line')
  const all = second === 0 ? lines : `${lines} and ${countOf(second, 'second address', 'second addresses')}`
  const parts: [count: number, name: string][] = [
    [counts.blank_count, 'blank'],
    [counts.empty_count + counts.not_address_count, 'without an address'],
    // Nothing else is left out if all addresses of a cell are validated.
    [counts.left_out_count, counts.several_addresses === 'all' ? 'malformed' : 'left out'],
    [repeated, repeated === 1 ? 'duplicate' : 'duplicates'],
  ]
  const open: [count: number, name: string] = [unique - done, end === null ? 'to validate' : 'not validated']
  const isBefore = done === 0 && unique > 0
  const validated: [count: number, name: string][] = isBefore ? [] : [[done, 'validated']]
  const shown = [...parts.filter(isSome), ...validated, ...[open].filter(isSome)]
  return `${all}: ${shown.map(([count, name]) => `${COUNT.format(count)} ${name}`).join(', ')}`
}

function isSome([count]: [count: number, name: string]): boolean {
  return count > 0
}

/** Rows and values of a list that were not validated, without blank lines: those of its third file. */
export function countLeftOut({ empty_count, not_address_count, left_out_count }: LineCounts): number {
  return empty_count + not_address_count + left_out_count
}

type Deferred = { reason: string; count: number; last_retry_at: string }

/** The fields of a job on which the time left depends. */
export type JobTime = {
  status: string
  finished_at: string | null
  livemode: boolean
  unique_count: number
  done_count: number
  rate_per_s: number
  eta: { earliest_at: string; latest_at: string } | null
  deferred: readonly Deferred[]
  delay_reason: string | null
}

/** The time and the time zone of the reader; by default that of the program. */
export type Reader = { now: number; timeZone?: string }

/** How long the addresses in progress take, and what the deferred ones wait for. At least one of them is set until the job ends. */
export type TimeLeft = { work: string | null; wait: string | null }

/** The time left as one line: "about 10 s left; 8 addresses wait for slow servers, at the latest 17:34". Undefined after the end. */
export function describeTimeLeft(job: JobTime, reader: Reader): string | undefined {
  const { work, wait } = readTimeLeft(job, reader)
  return [work, wait].filter((part) => part !== null).join('; ') || undefined
}

export function readTimeLeft(job: JobTime, reader: Reader): TimeLeft {
  if (job.finished_at !== null) return { work: null, wait: null }
  const obstacle = describeObstacle(job)
  if (obstacle !== undefined) return { work: obstacle, wait: null }

  // Addresses that our rate limiter delays are part of the work: the rate counts them.
  const waiting = job.deferred.filter(({ reason }) => reason !== THROTTLED)
  if (waiting.length === 0) return { work: describeEta(job, reader) ?? describeThrottled(job), wait: null }

  const waitingCount = sumOf(waiting)
  const lastAt = Math.max(reader.now, ...waiting.map(({ last_retry_at }) => Date.parse(last_retry_at)))
  const workMs = readWorkMs(job, waitingCount)
  const work = workMs > SHORT_MS ? `about ${formatDuration(workMs)} left` : null
  // The slower of the two decides when the job ends. Work that takes longer than all retries hides them.
  if (work !== null && reader.now + workMs > lastAt) return { work, wait: null }
  const who = waitingCount === 1 ? '1 address waits' : `${COUNT.format(waitingCount)} addresses wait`
  return { work, wait: `${who} for ${describeCause(waiting)}, at the latest ${formatLatest(lastAt, reader)}` }
}

const OBSTACLES: Partial<Record<string, string>> = {
  no_worker: 'waiting for a worker',
  under_review: 'waiting for a review by an operator',
}

/** What keeps the job from progress, so that no time can be said. */
function describeObstacle({ status, delay_reason: reason }: JobTime): string | undefined {
  if (reason !== null) return OBSTACLES[reason] ?? `waiting (${reason.replaceAll('_', ' ')})`
  return status === 'paused' ? 'paused' : undefined
}

const THROTTLED = 'throttled'

/** Less than this is said only if nothing else is: it would come and go with each retry. */
const SHORT_MS = 10_000
/** The latest end of usual work is twice as far as the earliest. Beyond this factor, slow servers decide. */
const SPREAD_MAX = 2.5
/** Test mode contacts no mail server. Its first seconds say little about the rate. */
const TEST_MS = 50_000

function describeEta({ eta, livemode }: JobTime, { now }: Reader): string | undefined {
  if (eta === null) return undefined
  const [earliestMs, latestMs] = [eta.earliest_at, eta.latest_at].map((at) => Math.max(0, Date.parse(at) - now)) as [
    number,
    number,
  ]
  if (!livemode && earliestMs > TEST_MS) return 'less than a minute left'
  const isWide = latestMs > SHORT_MS && latestMs > earliestMs * SPREAD_MAX
  return isWide ? `up to ${formatDuration(latestMs)} left` : `about ${formatDuration(earliestMs)} left`
}

function describeThrottled({ deferred }: JobTime): string {
  const count = sumOf(deferred)
  if (count === 0) return 'time left not yet known'
  return `${countOf(count, 'address', 'addresses')} delayed by the rate limiter`
}

/** The time for the addresses that do not wait, at the rate of the last minute. */
function readWorkMs({ unique_count, done_count, rate_per_s }: JobTime, waitingCount: number): number {
  const open = unique_count - done_count - waitingCount
  return open <= 0 || rate_per_s === 0 ? 0 : (open / rate_per_s) * 1_000
}

const CAUSES: Partial<Record<string, string>> = {
  greylisted: 'greylisting servers',
  rate_limited: 'servers that limit our rate',
  blocked: 'servers that block us',
  dns_failed: 'DNS servers',
  mailbox_full: 'full mailboxes',
}

/** Several causes have one name that is true for all of them. */
function describeCause(waiting: readonly Deferred[]): string {
  const causes = new Set(waiting.map(({ reason }) => CAUSES[reason] ?? 'slow servers'))
  const [cause = 'slow servers'] = causes
  return causes.size === 1 ? cause : 'slow servers'
}

type Unit = { name: string; seconds: number }
const MINUTE: Unit = { name: 'minute', seconds: 60 }
/** The largest unit with a count of two or more, so that 90 minutes do not become "2 hours". */
const UNITS: Unit[] = [{ name: 'day', seconds: 86_400 }, { name: 'hour', seconds: 3_600 }, MINUTE]

/** "20 s", "85 s", "10 minutes", "3 hours". Seconds are rounded up to five, so that the text does not change with each. */
function formatDuration(ms: number): string {
  const seconds = Math.max(5, Math.ceil(ms / 5_000) * 5)
  if (seconds < 90) return `${seconds} s`
  const unit = UNITS.find((one) => ms / 1_000 >= one.seconds * 2) ?? MINUTE
  return countOf(Math.round(ms / 1_000 / unit.seconds), unit.name)
}

/** "17:34", or "3 Nov, 01:12" if that is not today. A minute that has begun counts, so that the time is not too early. */
function formatLatest(at: number, { now, timeZone }: Reader): string {
  const time = new Date(Math.ceil(at / 60_000) * 60_000)
  const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone })
  const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone })
  const isToday = day.format(time) === day.format(now)
  return isToday ? clock.format(time) : `${day.format(time)}, ${clock.format(time)}`
}

function sumOf(groups: readonly Deferred[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0)
}

function countOf(count: number, one: string, many = `${one}s`): string {
  return `${COUNT.format(count)} ${count === 1 ? one : many}`
}
