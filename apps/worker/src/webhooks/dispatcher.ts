import { startInterval } from '@probity/concurrency/scheduling'
import { type DispatchedDelivery, dispatchDeliveries } from '@probity/database/webhooks/events'
import { openWebhookQueue, startWebhookWorker, type WebhookQueue } from '@probity/redis/task-queues'
import type { WorkerConfig } from '../server/config.ts'
import { createLocalExecutor, POLL_EVERY_MS } from '../server/dispatch.ts'
import type { Services } from '../server/services.ts'
import type { WebhookNetwork } from './post.ts'
import { deliverWebhooks } from './processor.ts'

const AT_ONCE_MAX = 500

type Executors = { queue: WebhookQueue; work(task: DispatchedDelivery): Promise<void>; slots: number }

/** Dispatches due deliveries through the queue to any worker. While Redis is unavailable this process sends them itself. */
export function startDeliveryDispatcher(services: Pick<Services, 'db' | 'log' | 'pendingWork'>, executors: Executors) {
  const { db, log, pendingWork } = services
  const { queue, work, slots } = executors
  const mine = createLocalExecutor(slots, work, log)
  const interval = startInterval(
    POLL_EVERY_MS,
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
      isDue: async () => (await pendingWork()).deliveries,
    },
  )
  return {
    async stop() {
      await interval.stop()
      await mine.finish()
    },
  }
}

/** Dispatches due webhook deliveries and sends them. */
export function startWebhooks(
  services: Services,
  config: WorkerConfig,
  outside: WebhookNetwork,
): { stop(): Promise<void> } {
  const { redisUrl, queuePrefix: prefix, webhookSlots: slots, release } = config
  const queue = openWebhookQueue(redisUrl, prefix)
  const deliver = deliverWebhooks(services, outside)
  const work = (task: DispatchedDelivery) =>
    deliver(task).catch((error: unknown) => {
      services.log.warn({ err: error, delivery: task.id }, 'webhook delivery not settled; requeued')
    })
  const worker = startWebhookWorker({ url: redisUrl, prefix }, slots, work)
  worker.resume()
  const dispatcher = release ? startDeliveryDispatcher(services, { queue, work, slots }) : undefined
  return {
    async stop() {
      await Promise.all([dispatcher?.stop(), worker.close()])
      await queue.close()
    },
  }
}
