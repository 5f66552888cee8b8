import { createSemaphore } from '@probity/concurrency/scheduling'
import type { Logger } from 'pino'

/** Runs tasks locally, bypassing Redis, with bounded concurrency. */
export type OwnHands<Task> = {
  take(task: Task): void
  /** Waits for running tasks. */
  finish(): Promise<void>
}

export function openOwnHands<Task>(slots: number, work: (task: Task) => Promise<void>, log: Logger): OwnHands<Task> {
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
