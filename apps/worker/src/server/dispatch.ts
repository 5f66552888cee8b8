import { createSemaphore } from '@probity/concurrency/scheduling'
import type { Db } from '@probity/database/connection/connect'
import { findPendingWork, type PendingWork } from '@probity/database/validations/queue'
import type { Logger } from 'pino'

/** Polling interval for work that customers wait for. */
export const POLL_EVERY_MS = 200
/** The dispatchers of a process poll at about the same time, so they share one query. */
const FRESH_FOR_MS = POLL_EVERY_MS / 4

/** Returns which kinds of work are pending. */
export type PendingWorkCheck = () => Promise<PendingWork>

/** One query for all dispatchers of the process: most of the time nothing is pending. */
export function createPendingWorkCheck(db: Db): PendingWorkCheck {
  let queriedAt = Number.NEGATIVE_INFINITY
  let answer: Promise<PendingWork>
  return () => {
    const now = performance.now()
    if (now - queriedAt >= FRESH_FOR_MS) {
      queriedAt = now
      answer = findPendingWork(db)
    }
    return answer
  }
}

/** Runs tasks locally, bypassing Redis, with bounded concurrency. */
export type LocalExecutor<Task> = {
  take(task: Task): void
  /** Waits for running tasks. */
  finish(): Promise<void>
}

export function createLocalExecutor<Task>(
  slots: number,
  work: (task: Task) => Promise<void>,
  log: Logger,
): LocalExecutor<Task> {
  const semaphore = createSemaphore(slots)
  const taken = new Set<Promise<void>>()
  return {
    take(task) {
      const done = semaphore(() => work(task))
        .catch((error: unknown) => log.warn({ err: error }, 'local task failed; requeued'))
        .finally(() => taken.delete(done))
      taken.add(done)
    },
    finish: async () => void (await Promise.all(taken)),
  }
}
