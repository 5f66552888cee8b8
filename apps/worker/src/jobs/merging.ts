import { claimMerge, mergeResults } from '@probity/database/jobs/results/merge-results'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import type { Services } from '../server/services.ts'
import { type Outcome, startEndedJobWork } from './ended-jobs.ts'

type Needed = Pick<Services, 'db' | 'workerId' | 'log'>

/** Merges reruns of unknown rows into the jobs that they run again, once the results of both are in row order. */
export function startMerging(services: Needed): { stop(): Promise<void> } {
  return startEndedJobWork(services, () => mergeNext(services), 'merging reruns failed; retrying')
}

async function mergeNext({ db, workerId, log }: Needed): Promise<Outcome> {
  const job = await claimMerge(db, workerId)
  if (job === undefined) return 'nothing'
  try {
    await mergeResults(db, job, dedupeKey)
    return 'done'
  } catch (error) {
    log.warn({ err: error, jobId: job.id, attempt: job.attempt }, 'failed to merge a rerun')
    return 'failed'
  }
}
