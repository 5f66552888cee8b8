import { openGate } from '@probity/engine/domain/gate'
import type { Logger } from 'pino'

/** Work that this process does itself rather than through the queue, so much at once. */
export type OwnHands<Task> = {
  take(task: Task): void
  /** Waits for what was taken. */
  finish(): Promise<void>
}

export function openOwnHands<Task>(slots: number, work: (task: Task) => Promise<void>, log: Logger): OwnHands<Task> {
  const gate = openGate(slots)
  const taken = new Set<Promise<void>>()
  return {
    take(task) {
      const done = gate(() => work(task))
        .catch((error: unknown) => log.warn({ err: error }, 'what we took ourselves failed; it is let out again'))
        .finally(() => taken.delete(done))
      taken.add(done)
    },
    finish: async () => void (await Promise.all(taken)),
  }
}
