import type { Job as PublicJob } from '@probity/contract/bulk'
import type { JobDelayReason } from '@probity/contract/delay'
import { forecast, rateOf } from './forecast.ts'
import { type Job, statusOf } from './jobs.ts'

/** A job as its owner sees it: the same in a list, alone and in a stream of events. */
export function presentJob(job: Job): PublicJob {
  const left = job.finishedAt ? 0 : job.uniqueCount - job.doneCount
  return {
    id: job.id,
    status: statusOf(job),
    filename: job.filename,
    email_column: job.emailColumn,
    reference: job.reference,
    created_at: job.createdAt.toISOString(),
    started_at: job.startedAt?.toISOString() ?? null,
    finished_at: job.finishedAt?.toISOString() ?? null,
    expires_on: job.expiresOn,
    row_count: job.rowCount,
    email_count: job.emailCount,
    unique_count: job.uniqueCount,
    duplicate_count: job.emailCount - job.uniqueCount,
    done_count: job.doneCount,
    progress: Math.floor((job.doneCount / job.uniqueCount) * 10_000) / 10_000,
    rate_per_s: Math.round(rateOf(job) * 10) / 10,
    eta: forecast(job),
    deferred: job.waiting.map(({ reason, count, from }) => ({ reason, count, retry_at: from.toISOString() })),
    delay_reason: delayReasonOf(job),
    ...countsOf(job),
    credits: {
      reserved: left * job.creditsPerEmail,
      used: job.doneCount * job.creditsPerEmail,
      refunded: job.refundedCount,
    },
    callback_url: job.callbackUrl,
    livemode: job.mode === 'live',
  }
}

function delayReasonOf(job: Job): JobDelayReason | null {
  if (job.finishedAt === null && job.isUnderReview) return 'under_review'
  const isDue = job.finishedAt === null && statusOf(job) !== 'paused'
  return isDue && !job.hasWorker ? 'no_worker' : null
}

function countsOf({ counts }: Job): Pick<PublicJob, 'status_counts' | 'sub_status_counts'> {
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
