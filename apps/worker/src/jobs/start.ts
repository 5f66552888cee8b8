import { setTimeout as sleep } from 'node:timers/promises'
import type { BatchRef } from '@probity/database/jobs/batches'
import { openBatchQueue, startBatchWorker } from '@probity/redis/task-queues'
import type { Aside } from '../probing/yield.ts'
import type { WorkerConfig } from '../server/config.ts'
import type { Services } from '../server/services.ts'
import { startReleasingBatches } from './dispatcher.ts'
import { startPresence } from './heartbeat.ts'
import { startOrdering } from './ordering.ts'
import { startPlanning } from './plans.ts'
import { openBatchDesk } from './processor.ts'
import { startReviewing } from './reviews.ts'

/** How long batches that are begun may still take when the process stops; the rest is given back. */
const FINISH_WITHIN_MS = 20_000

/** A worker that has ended a batch has received the next task by then, if Redis has any. */
const NEXT_TASK_WITHIN_MS = 20

/** Works on lists: plans jobs, lets their batches out and validates them. Callers who wait have slots of their own beside this. */
export async function startLists(
  services: Services,
  config: WorkerConfig,
  aside: Aside,
): Promise<{ stop(): Promise<void> }> {
  const { redisUrl, queuePrefix: prefix, listSlots: slots, release } = config
  const presence = await startPresence(services, slots)
  const queue = openBatchQueue(redisUrl, prefix)
  const desk = openBatchDesk(services)
  let active = 0
  let soon: NodeJS.Timeout | undefined
  /** Dispatch costs PostgreSQL time, and more batches are dispatched than workers have slots: only a worker with free slots asks for more. */
  const hurrySoon = () => {
    soon ??= setTimeout(() => {
      soon = undefined
      if (active < slots) releasing?.runNow()
    }, NEXT_TASK_WITHIN_MS)
  }
  const work = async (ref: BatchRef) => {
    active += 1
    try {
      await desk.validate(ref)
    } finally {
      active -= 1
      hurrySoon()
    }
  }
  const worker = startBatchWorker({ url: redisUrl, prefix }, slots, work)
  aside.lead(worker)
  const hands = { queue, work, slots, isAside: aside.isAside }
  const releasing = release ? startReleasingBatches(services, hands) : undefined
  const ordering = release ? startOrdering(services) : undefined
  const reviewing = release ? startReviewing(services) : undefined
  const planning = release ? startPlanning(services, () => releasing?.runNow()) : undefined

  return {
    async stop() {
      clearTimeout(soon)
      const ended = Promise.all([
        planning?.stop(),
        ordering?.stop(),
        reviewing?.stop(),
        releasing?.stop(),
        worker.close(),
      ]).then(() => desk.finish())
      await Promise.race([ended, sleep(FINISH_WITHIN_MS, undefined, { ref: false })])
      await presence.stop()
      await queue.close()
    },
  }
}
