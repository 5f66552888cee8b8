import { startInterval } from '@probity/concurrency/scheduling'
import { type DispatchedDelivery, dispatchDeliveries } from '@probity/database/webhooks/events'
import type { WebhookQueue } from '@probity/redis/task-queues'
import { LOOK_EVERY_MS } from '../server/dispatch.ts'
import { openOwnHands } from '../server/local-executor.ts'
import type { Services } from '../server/services.ts'

const AT_ONCE_MAX = 500

type Hands = { queue: WebhookQueue; work(task: DispatchedDelivery): Promise<void>; slots: number }

/**
 * Dispatches due deliveries through the queue to any worker. While Redis is unavailable this process sends them itself.
 */
export function startReleasingDeliveries(services: Pick<Services, 'db' | 'log' | 'glance'>, hands: Hands) {
  const { db, log, glance } = services
  const { queue, work, slots } = hands
  const mine = openOwnHands(slots, work, log)
  const interval = startInterval(
    LOOK_EVERY_MS,
    async () => {
      const released = await dispatchDeliveries(db, AT_ONCE_MAX)
      if (released.length === 0) return
      try {
        await queue.add(released)
      } catch (error) {
        log.debug({ err: error }, 'failed to enqueue webhook deliveries: redis unavailable')
        for (const task of released) mine.take(task) // if the queue accepted it after all, one of the two claims it
      }
    },
    {
      onError: (error) => log.warn({ err: error }, 'dispatching webhook deliveries failed; retrying'),
      isDue: async () => (await glance()).deliveries,
    },
  )
  return {
    async stop() {
      await interval.stop()
      await mine.finish()
    },
  }
}
