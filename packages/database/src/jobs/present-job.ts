import type { JobDelayReason } from '@probity/contract/constants/jobs'
import type { JobEta, Job as PublicJob } from '@probity/contract/schemas/jobs/jobs'
import type { Trx } from '../connection/connect.ts'
import { type Job, statusOf } from './jobs.ts'
import { isRerunnable } from './reruns.ts'
import { type ResultsLocation, withChunks } from './results/chunk-store.ts'
import type { Tallies } from './results/result-tallies.ts'
import { tallyChunks } from './results/tally-chunks.ts'

/** A job as the API returns it: the same in lists, alone and in event streams. */
export function presentJob(job: Job): PublicJob {
  const left = job.finishedAt ? 0 : job.uniqueCount - job.doneCount
  const used = job.doneCount * job.creditsPerEmail
  return {
    id: job.id,
    status: statusOf(job),
    name: job.name ?? job.filename,
    tags: job.tags,
    filename: job.filename,
    email_column: job.emailColumn,
    reference: job.reference,
    created_at: job.createdAt.toISOString(),
    started_at: job.startedAt?.toISOString() ?? null,
    finished_at: job.finishedAt?.toISOString() ?? null,
    expires_on: job.expiresOn,
    line_count: job.rowCount + job.blankCount,
    row_count: job.rowCount,
    blank_count: job.blankCount,
    empty_count: job.rowCount + job.extraAddressCount - job.notAddressCount - job.leftOutCount - job.emailCount,
    not_address_count: job.notAddressCount,
    left_out_count: job.leftOutCount,
    extra_address_count: job.extraAddressCount,
    several_addresses: job.severalAddresses,
    malformed: job.malformed,
    email_count: job.emailCount,
    unique_count: job.uniqueCount,
    duplicate_count: job.emailCount - job.uniqueCount,
    done_count: job.doneCount,
    progress: Math.floor((job.doneCount / job.uniqueCount) * 10_000) / 10_000,
    rate_per_s: Math.round(rateOf(job) * 10) / 10,
    eta: forecast(job),
    deferred: job.waiting.map(({ reason, count, from, lastAt }) => ({
      reason,
      count,
      retry_at: from.toISOString(),
      last_retry_at: lastAt.toISOString(),
    })),
    delay_reason: delayReasonOf(job),
    ...countsOf(job.counts),
    credits: {
      reserved: left * job.creditsPerEmail,
      used,
      refunded: job.refundedCount,
      charged: used - job.refundedCount,
    },
    callback_url: job.callbackUrl,
    rerun_of: job.rerunOf,
    rerun_rows: job.rerunRows,
    merged_at: job.mergedAt?.toISOString() ?? null,
    rerunnable_count: job.counts.reduce((sum, kind) => sum + (isRerunnable(kind) ? kind.count : 0), 0),
    unknown_rerun: presentRerun(job.unknownRerun),
    file_expires_at: fileExpiryOf(job).toISOString(),
    livemode: job.mode === 'live',
  }
}

const DAY_MS = 86_400_000
/** How long the file of a job is stored after its confirmation, unless its results are deleted earlier (confirmUpload). */
const FILE_KEPT_MS = 7 * DAY_MS

function fileExpiryOf({ createdAt, expiresOn }: Job): Date {
  return new Date(Math.min(createdAt.getTime() + FILE_KEPT_MS, Date.parse(expiresOn) + DAY_MS))
}

function delayReasonOf(job: Job): JobDelayReason | null {
  if (job.finishedAt === null && job.isUnderReview) return 'under_review'
  const isDue = job.finishedAt === null && statusOf(job) !== 'paused'
  return isDue && !job.hasWorker ? 'no_worker' : null
}

function presentRerun(rerun: Job['unknownRerun']): PublicJob['unknown_rerun'] {
  if (rerun === null) return null
  return {
    id: rerun.id,
    status: statusOf(rerun),
    created_at: rerun.createdAt.toISOString(),
    finished_at: rerun.finishedAt?.toISOString() ?? null,
    merged_at: rerun.mergedAt?.toISOString() ?? null,
    unique_count: rerun.uniqueCount,
    done_count: rerun.doneCount,
    status_counts: countsOf(rerun.counts).status_counts,
  }
}

function countsOf(counts: Job['counts']): Pick<PublicJob, 'status_counts' | 'sub_status_counts'> {
  const byStatus = new Map<string, number>()
  const byReason = new Map<string, number>()
  for (const { status, subStatus, count } of counts) {
    byStatus.set(status, (byStatus.get(status) ?? 0) + count)
    if (subStatus !== '') byReason.set(subStatus, (byReason.get(subStatus) ?? 0) + count)
  }
  const of = (status: string) => byStatus.get(status) ?? 0
  return {
    status_counts: { valid: of('valid'), invalid: of('invalid'), risky: of('risky'), unknown: of('unknown') },
    sub_status_counts: Object.fromEntries(byReason),
  }
}

const WINDOW_S = 60
/** How much slower the rest may be than the last minute: addresses with fast results tend to be first. */
const SLOWDOWN = 2
/** Test mode contacts no mail server: a list takes seconds. The first batches say little about the rate. */
const TEST_MS_MAX = 60_000

type JobProgress = Pick<
  Job,
  | 'mode'
  | 'state'
  | 'pausedAt'
  | 'startedAt'
  | 'uniqueCount'
  | 'doneCount'
  | 'recentCount'
  | 'waiting'
  | 'slowUntil'
  | 'now'
>

/** Addresses finished per second, over the last minute or since the work began if that is less. */
export function rateOf({ state, startedAt, doneCount, recentCount, now }: JobProgress): number {
  if (state !== 'processing' || startedAt === null) return 0
  const seconds = Math.min(WINDOW_S, Math.max(1, (now.getTime() - startedAt.getTime()) / 1000))
  // A batch counts as a whole when it ends, even if some of its addresses continue in another.
  return Math.min(recentCount, doneCount) / seconds
}

/** The earliest and latest completion of a job; null if it cannot be estimated. */
export function forecast(job: JobProgress): JobEta {
  if (job.state !== 'processing' || job.pausedAt) return null
  // Addresses that our rate limiter delays are part of the work, which the rate of the last minute counts.
  const waiting = job.waiting.filter(({ reason }) => reason !== 'throttled')
  const waitingCount = waiting.reduce((sum, { count }) => sum + count, 0)
  const openCount = Math.max(0, job.uniqueCount - job.doneCount - waitingCount)
  const rate = rateOf(job)
  if (openCount > 0 && rate === 0) return null

  const now = job.now.getTime()
  const workMs = openCount === 0 ? 0 : (openCount / rate) * 1000
  const lastRetryMs = Math.max(now, ...waiting.map(({ until }) => until.getTime()))
  const slowMs = job.slowUntil?.getTime() ?? now
  const lastAttemptMs = Math.max(now, slowMs, ...waiting.map(({ lastAt }) => lastAt.getTime()))
  const atMs = (ms: number) => new Date(job.mode === 'test' ? Math.min(ms, now + TEST_MS_MAX) : ms).toISOString()
  return {
    earliest_at: atMs(Math.max(now + workMs, lastRetryMs)),
    latest_at: atMs(Math.max(now + workMs * SLOWDOWN, lastAttemptMs)),
  }
}

/** The breakdown of a job: stored once its results are in row order, counted from its chunks before that. */
export async function tallyResults(trx: Trx, location: ResultsLocation): Promise<Tallies> {
  const { accountId, id } = location
  const breakdowns = trx.selectFrom('jobBreakdowns').select('tallies').where('accountId', '=', accountId)
  const stored = await breakdowns.where('jobId', '=', id).executeTakeFirst()
  return stored?.tallies ?? withChunks(trx, location, (set) => tallyChunks(trx, set))
}
