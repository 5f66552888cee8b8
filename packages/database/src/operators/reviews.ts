import { type Selectable, sql } from 'kysely'
import { type Db, inTenant, type Trx, withoutTenant } from '../connection/connect.ts'
import type { Schema } from '../connection/schema.ts'
import type { View } from '../connection/scope.ts'
import { cancelJob, emitJobEvent } from '../jobs/job-control.ts'

type ReviewedJob = View & { id: string }

/** Evaluates the samples that have enough results, and returns how many jobs were paused for an operator's review. */
export async function evaluateSamples(db: Db): Promise<number> {
  const { rows } = await withoutTenant(db, (trx) => sql<ReviewedJob>`select * from list_due_samples()`.execute(trx))
  let paused = 0
  for (const job of rows) {
    if (await inTenant(db, job.accountId, (trx) => isSampleBad(trx, job))) paused += 1
  }
  return paused
}

async function isSampleBad(trx: Trx, job: ReviewedJob): Promise<boolean> {
  const { rows } = await sql<{ state: string | null }>`select judge_sample(${job.id}) as state`.execute(trx)
  if (rows[0]?.state !== 'waiting') return false
  await emitJobEvent(trx, job, 'job.paused')
  return true
}

export type WaitingReview = Omit<Selectable<Schema['jobReviews']>, 'state' | 'sampleSize'> & {
  accountName: string
  mode: View['mode']
  done: number
  total: number
}

const REVIEWS_MAX = 200

/** The jobs that wait for a decision, oldest first. As an operator. */
export async function listReviews(trx: Trx): Promise<WaitingReview[]> {
  const { rows } = await sql<WaitingReview>`
    select r.job_id, r.account_id, r.reason, r.domain, r.domain_count, r.sample_done, r.sample_invalid, r.since,
      a.name as account_name, j.mode, j.done_count as done, j.unique_count as total
    from job_reviews r join jobs j on j.id = r.job_id join accounts a on a.id = r.account_id
    where r.state = 'waiting' and j.finished_at is null
    order by r.since limit ${REVIEWS_MAX}`.execute(trx)
  return rows
}

/** Finds one of these jobs. As an operator. */
export async function findReview(trx: Trx, jobId: string): Promise<ReviewedJob | undefined> {
  const { rows } = await sql<ReviewedJob>`
    select r.account_id, j.mode, r.job_id as id from job_reviews r join jobs j on j.id = r.job_id
    where r.job_id = ${jobId} and r.state = 'waiting' and j.finished_at is null`.execute(trx)
  return rows[0]
}

/** Ends a review in the account of its job. Returns false if the job does not wait for a decision. */
export async function decideReview(
  trx: Trx,
  { id, ...view }: ReviewedJob,
  decision: 'released' | 'canceled',
): Promise<boolean> {
  if (decision === 'canceled' && (await cancelJob(trx, view, id)) !== 'done') return false
  const { rows } = await sql<{ isDecided: boolean }>`select decide_review(${id}, ${decision}) as is_decided`.execute(
    trx,
  )
  const isDecided = rows[0]?.isDecided ?? false
  if (isDecided && decision === 'released') await emitJobEvent(trx, { ...view, id }, 'job.resumed')
  return isDecided
}
