import { sql } from 'kysely'
import type { Trx } from '../connection/connect.ts'
import type { View } from '../connection/scope.ts'
import { emitEvent } from '../webhooks/events.ts'
import { findJob } from './jobs.ts'
import { presentJob } from './present-job.ts'
import { deleteChunks } from './results/chunk-store.ts'
import { expireUpload } from './uploads.ts'

/** Result of a command for a job. `ended`: the job has ended. `under_review`: an operator must release the job first. */
export type Controlled = 'done' | 'ended' | 'missing' | 'under_review'

/** Pauses a job. Idempotent. */
export async function pauseJob(trx: Trx, view: View, jobId: string): Promise<Controlled> {
  const job = await lockJob(trx, view, jobId)
  if (job === undefined) return 'missing'
  if (job.finishedAt) return 'ended'
  if (job.pausedAt) return 'done'
  await update(trx, view, jobId).set({ pausedAt: sql<Date>`clock_timestamp()` }).execute()
  await emitJobEvent(trx, { ...view, id: jobId }, 'job.paused')
  return 'done'
}

export async function resumeJob(trx: Trx, view: View, jobId: string): Promise<Controlled> {
  const job = await lockJob(trx, view, jobId)
  if (job === undefined) return 'missing'
  if (job.finishedAt) return 'ended'
  if (await isUnderReview(trx, jobId)) return 'under_review'
  if (job.pausedAt === null) return 'done'
  await update(trx, view, jobId).set({ pausedAt: null }).execute()
  await emitJobEvent(trx, { ...view, id: jobId }, 'job.resumed')
  return 'done'
}

/**
 * Ends an unfinished job and releases the credits reserved for the rest of it. Its batches stay: a worker that settles a batch locks its
 * queue row before the job, so they must not be locked while the job is. `removePending` deletes them afterwards.
 */
export async function cancelJob(trx: Trx, view: View, jobId: string): Promise<Controlled> {
  const job = await lockJob(trx, view, jobId)
  if (job === undefined) return 'missing'
  if (job.state === 'canceled') return 'done'
  if (job.finishedAt) return 'ended'
  await sql`select end_job(${jobId}, 'canceled')`.execute(trx)
  await emitJobEvent(trx, { ...view, id: jobId }, 'job.canceled')
  return 'done'
}

/** Ends a job as failed: its plan failed, or if there is no `planEpoch`, it has expired. If the job ended before, nothing changes. */
export async function failJob(trx: Trx, job: View & { id: string; planEpoch?: number }): Promise<void> {
  const { rows } = await sql<{ failed: boolean }>`
    select fail_job(${job.id}, ${job.planEpoch ?? null}) as failed`.execute(trx)
  if (rows[0]?.failed) await emitJobEvent(trx, job, 'job.failed')
}

/** Deletes the batches of an ended job that are not settled. */
export async function removePending(trx: Trx, view: View, jobId: string): Promise<void> {
  const job = await findEnded(trx, view, jobId)
  if (job) await removeBatches(trx, view, job)
}

/**
 * Deletes an ended job and everything of it except its ledger transactions. Returns the storage key of its file, if it is still stored.
 */
export async function removeJob(trx: Trx, view: View, jobId: string) {
  const job = await findEnded(trx, view, jobId)
  if (job === undefined) return undefined
  const { accountId } = view
  // Queue rows are locked before the job, as everywhere.
  await removeBatches(trx, view, job)
  // Then the job: a worker that rewrites its results would otherwise store chunks after these are deleted.
  if ((await lockJob(trx, view, jobId)) === undefined) return undefined
  await deleteChunks(trx, { accountId, id: jobId, expiresOn: job.expiresOn })
  await trx.deleteFrom('jobs').where('accountId', '=', accountId).where('id', '=', jobId).execute()
  await expireUpload(trx, { accountId, uploadId: job.uploadId }, sql<Date>`clock_timestamp()`)
  const uploads = trx.selectFrom('uploads').select(['id', 'storageKey'])
  return uploads.where('accountId', '=', accountId).where('id', '=', job.uploadId).executeTakeFirst()
}

/** Whether the job is paused until an operator decides. */
async function isUnderReview(trx: Trx, jobId: string): Promise<boolean> {
  const reviews = trx.selectFrom('jobReviews').select('jobId').where('jobId', '=', jobId)
  return (await reviews.where('state', '=', 'waiting').executeTakeFirst()) !== undefined
}

function lockJob(trx: Trx, view: View, jobId: string) {
  return jobIn(trx, view, jobId).select(['state', 'pausedAt', 'finishedAt']).forUpdate().executeTakeFirst()
}

function findEnded(trx: Trx, view: View, jobId: string) {
  return jobIn(trx, view, jobId)
    .select(['id', 'expiresOn', 'uploadId'])
    .where('finishedAt', 'is not', null)
    .executeTakeFirst()
}

function jobIn(trx: Trx, { accountId, mode }: View, jobId: string) {
  return trx.selectFrom('jobs').where('accountId', '=', accountId).where('mode', '=', mode).where('id', '=', jobId)
}

function update(trx: Trx, { accountId, mode }: View, jobId: string) {
  return trx.updateTable('jobs').where('accountId', '=', accountId).where('mode', '=', mode).where('id', '=', jobId)
}

async function removeBatches(trx: Trx, { accountId }: View, { id, expiresOn }: { id: string; expiresOn: string }) {
  await trx.deleteFrom('jobQueue').where('jobId', '=', id).where('accountId', '=', accountId).execute()
  const addresses = trx.deleteFrom('jobBatches').where('expiresOn', '=', expiresOn)
  await addresses.where('accountId', '=', accountId).where('jobId', '=', id).execute()
}

type JobEvent = `job.${'created' | 'paused' | 'resumed' | 'completed' | 'failed' | 'canceled'}`

/** The events that end a job. They are also delivered to its `callback_url`. */
const ENDINGS: ReadonlySet<JobEvent> = new Set(['job.completed', 'job.failed', 'job.canceled'])

/** Emits an event of a job, with the job as the API shows it now, in the transaction that changes it. */
export function emitJobEvent(trx: Trx, job: View & { id: string }, type: JobEvent): Promise<void> {
  return emitEvent(trx, {
    mode: job.mode,
    type,
    ...(ENDINGS.has(type) && { callbackJob: job.id }),
    async data() {
      const found = await findJob(trx, job, job.id)
      if (found === undefined) throw new Error('the job of an event does not exist')
      return presentJob(found)
    },
  })
}
