import { setTimeout as sleep } from 'node:timers/promises'
import type { BatchRef } from '@probity/database/batches'
import { openBatchQueue, startBatchWorker } from '@probity/queue/batches'
import type { WorkerConfig } from './config.ts'
import { openBatchDesk } from './processors/validate-batch.ts'
import { startReleasingBatches } from './release/batches.ts'
import { startOrdering } from './release/ordering.ts'
import { startPlanning } from './release/plans.ts'
import { startPresence } from './release/presence.ts'
import type { Services } from './services.ts'
import type { Aside } from './stand-aside.ts'

/** How long batches that are begun may still take when the process stops; the rest is given back. */
const FINISH_WITHIN_MS = 20_000

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
  // Who is done with a batch has room for another.
  const work = (ref: BatchRef) => desk.validate(ref).finally(() => releasing?.hurry())
  const worker = startBatchWorker({ url: redisUrl, prefix }, slots, work)
  aside.lead(worker)
  const hands = { queue, work, slots, isAside: aside.isAside }
  const releasing = release ? startReleasingBatches(services, hands) : undefined
  const ordering = release ? startOrdering(services) : undefined
  const planning = release ? startPlanning(services, () => releasing?.hurry()) : undefined

  return {
    async stop() {
      const ended = Promise.all([planning?.stop(), ordering?.stop(), releasing?.stop(), worker.close()]).then(() =>
        desk.finish(),
      )
      await Promise.race([ended, sleep(FINISH_WITHIN_MS, undefined, { ref: false })])
      await presence.stop()
      await queue.close()
    },
  }
}
