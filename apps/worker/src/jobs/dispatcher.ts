import { startInterval } from '@probity/concurrency/scheduling'
import { type BatchRef, dispatchBatches } from '@probity/database/jobs/batches'
import type { BatchQueue } from '@probity/redis/task-queues'
import { createLocalExecutor, POLL_EVERY_MS } from '../server/dispatch.ts'
import type { Services } from '../server/services.ts'

type Work = (ref: BatchRef) => Promise<void>
type Executors = { queue: BatchQueue; work: Work; slots: number; isYielding(): boolean }

/**
 * Dispatches as many batches as there are free slots. They go through the queue to any worker; batches that need an egress of this
 * worker are processed here, unless it yields work to others. Batches that the queue rejects or loses are dispatched again seconds later.
 */
export function startBatchDispatcher(
  services: Pick<Services, 'db' | 'log' | 'egresses' | 'pendingWork'>,
  executors: Executors,
) {
  const { db, log, egresses, pendingWork } = services
  const mine = createLocalExecutor(executors.slots, executors.work, log)
  const interval = startInterval(
    POLL_EVERY_MS,
    async () => {
      const isYielding = executors.isYielding()
      const released = await dispatchBatches(db, isYielding ? [] : egresses)
      const { own = [], others = [] } = Object.groupBy(released, ({ egress }) =>
        egress === null || isYielding ? 'others' : 'own',
      )
      for (const { epoch: _, egress: __, ...ref } of own) mine.take(ref)
      const tasks = others.map(({ egress: _, ...task }) => task)
      if (tasks.length > 0) await executors.queue.add(tasks)
    },
    {
      onError: (error) => log.warn({ err: error }, 'dispatching batches failed; retrying'),
      isDue: async () => (await pendingWork()).batches,
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
