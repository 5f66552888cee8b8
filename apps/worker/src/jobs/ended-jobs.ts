import { setTimeout as sleep } from 'node:timers/promises'
import { startInterval } from '@probity/concurrency/scheduling'
import type { Services } from '../server/services.ts'

/** How often a worker looks for jobs that have ended. */
const POLL_EVERY_MS = 1_000
/** After a failure, so that a job that cannot be completed takes no more than a small part of the worker's time. */
const WAIT_AFTER_FAILURE_MS = 30_000

/** The outcome of work on one job. `nothing`: there is no such job at the moment. */
export type Outcome = 'done' | 'failed' | 'nothing'

/** Works on ended jobs, one after the other. `work` claims a job; the claim of a worker that crashes expires. */
export function startEndedJobWork(
  { log }: Pick<Services, 'log'>,
  work: () => Promise<Outcome>,
  failure: string,
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  const interval = startInterval(
    POLL_EVERY_MS,
    async () => {
      let outcome: Outcome = 'done'
      while (outcome === 'done' && !signal.aborted) outcome = await work()
      if (outcome === 'failed') await sleep(WAIT_AFTER_FAILURE_MS, undefined, { signal }).catch(() => {})
    },
    { onError: (error) => log.warn({ err: error }, failure) },
  )
  return {
    async stop() {
      stopping.abort()
      await interval.stop()
    },
  }
}
