import { claimOrdering, orderResults } from '@probity/database/jobs/results/order-results'
import type { Services } from '../server/services.ts'
import { type Outcome, startEndedJobWork } from './ended-jobs.ts'

type Needed = Pick<Services, 'db' | 'workerId' | 'log'>

/** Stores the results of ended jobs in row order. Until then, pages and exports are slower. */
export function startOrdering(services: Needed): { stop(): Promise<void> } {
  return startEndedJobWork(services, () => orderNext(services), 'storing results in row order failed; retrying')
}

async function orderNext({ db, workerId, log }: Needed): Promise<Outcome> {
  const job = await claimOrdering(db, workerId)
  if (job === undefined) return 'nothing'
  const about = { jobId: job.id, attempt: job.epoch }
  try {
    if ((await orderResults(db, job)) !== 'mismatch') return 'done'
    // Nothing was deleted. Reconciliation finds the difference too and puts the account on hold.
    log.error(about, 'job results do not match the job counts')
  } catch (error) {
    log.warn({ err: error, ...about }, 'failed to store job results in row order')
  }
  return 'failed'
}
