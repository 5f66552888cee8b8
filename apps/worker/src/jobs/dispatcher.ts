import { startInterval } from '@probity/concurrency/scheduling'
import { type BatchRef, dispatchBatches } from '@probity/database/jobs/batches'
import type { BatchQueue } from '@probity/redis/task-queues'
import { LOOK_EVERY_MS } from '../server/dispatch.ts'
import { openOwnHands } from '../server/local-executor.ts'
import type { Services } from '../server/services.ts'

type Work = (ref: BatchRef) => Promise<void>
type Hands = { queue: BatchQueue; work: Work; slots: number; isAside(): boolean }

/**
 * Dispatches as many batches as there are free slots. They go through the queue to any worker; batches that need an egress of this
 * worker are processed here, unless it yields work to others. Batches that the queue rejects or loses are dispatched again seconds later.
 */
export function startReleasingBatches(services: Pick<Services, 'db' | 'log' | 'egresses' | 'glance'>, hands: Hands) {
  const { db, log, egresses, glance } = services
  const mine = openOwnHands(hands.slots, hands.work, log)
  const interval = startInterval(
    LOOK_EVERY_MS,
    async () => {
      const isAside = hands.isAside()
      const released = await dispatchBatches(db, isAside ? [] : egresses)
      const { own = [], others = [] } = Object.groupBy(released, ({ egress }) =>
        egress === null || isAside ? 'others' : 'own',
      )
      for (const { epoch: _, egress: __, ...ref } of own) mine.take(ref)
      const tasks = others.map(({ egress: _, ...task }) => task)
      if (tasks.length > 0) await hands.queue.add(tasks)
    },
    {
      onError: (error) => log.warn({ err: error }, 'dispatching batches failed; retrying'),
      isDue: async () => (await glance()).batches,
    },
  )
  return {
    runNow: () => interval.runNow(),
    async stop() {
      await interval.stop()
      await mine.finish()
    },
  }
}
