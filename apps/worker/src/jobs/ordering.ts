import { setTimeout as sleep } from 'node:timers/promises'
import { startInterval } from '@probity/concurrency/scheduling'
import { claimOrdering, orderResults } from '@probity/database/jobs/results/order-results'
import type { Services } from '../server/services.ts'

/** How often a worker looks for jobs that have ended. Until their results are in row order, pages and exports are slower. */
const POLL_EVERY_MS = 1_000
/** After a failure, so that a job that cannot be ordered takes no more than a small part of the worker's time. */
const WAIT_AFTER_FAILURE_MS = 30_000

type Needed = Pick<Services, 'db' | 'workerId' | 'log'>

/** Stores the results of ended jobs in row order, one job after the other. The claim of a worker that crashes expires. */
export function startOrdering(services: Needed): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  const interval = startInterval(
    POLL_EVERY_MS,
    async () => {
      let outcome: Outcome = 'ordered'
      while (outcome === 'ordered' && !signal.aborted) outcome = await orderNext(services)
      if (outcome === 'failed') await sleep(WAIT_AFTER_FAILURE_MS, undefined, { signal }).catch(() => {})
    },
    { onError: (error) => services.log.warn({ err: error }, 'storing results in row order failed; retrying') },
  )
  return {
    async stop() {
      stopping.abort()
      await interval.stop()
    },
  }
}

type Outcome = 'ordered' | 'failed' | 'nothing'

async function orderNext({ db, workerId, log }: Needed): Promise<Outcome> {
  const job = await claimOrdering(db, workerId)
  if (job === undefined) return 'nothing'
  const about = { jobId: job.id, attempt: job.epoch }
  try {
    if ((await orderResults(db, job)) !== 'mismatch') return 'ordered'
    // Nothing was deleted. Reconciliation finds the difference too and puts the account on hold.
    log.error(about, 'job results do not match the job counts')
  } catch (error) {
    log.warn({ err: error, ...about }, 'failed to store job results in row order')
  }
  return 'failed'
}
