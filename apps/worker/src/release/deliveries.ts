import { type ReleasedDelivery, releaseDeliveries } from '@probity/database/webhooks/events'
import type { WebhookQueue } from '@probity/queue/webhooks'
import type { Services } from '../services.ts'
import { LOOK_EVERY_MS } from './glance.ts'
import { openOwnHands } from './own-hands.ts'
import { startInterval } from './rounds.ts'

const AT_ONCE_MAX = 500

type Hands = { queue: WebhookQueue; work(task: ReleasedDelivery): Promise<void>; slots: number }

/**
 * Lets deliveries out that are due, through the queue to whoever is free. While Redis is away this process sends them itself: what
 * customers wait for must not wait for Redis.
 */
export function startReleasingDeliveries(services: Pick<Services, 'db' | 'log' | 'glance'>, hands: Hands) {
  const { db, log, glance } = services
  const { queue, work, slots } = hands
  const mine = openOwnHands(slots, work, log)
  const rounds = startInterval(
    LOOK_EVERY_MS,
    async () => {
      const released = await releaseDeliveries(db, AT_ONCE_MAX)
      if (released.length === 0) return
      try {
        await queue.add(released)
      } catch (error) {
        log.debug({ err: error }, 'failed to enqueue webhook deliveries: redis unavailable')
        for (const task of released) mine.take(task) // one that the queue took all the same is had by one of the two
      }
    },
    { log, name: 'dispatching webhook deliveries', isWanted: async () => (await glance()).deliveries },
  )
  return {
    async stop() {
      await rounds.stop()
      await mine.finish()
    },
  }
}
