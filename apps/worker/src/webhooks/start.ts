import type { DispatchedDelivery } from '@probity/database/webhooks/events'
import { openWebhookQueue, startWebhookWorker } from '@probity/redis/task-queues'
import type { WorkerConfig } from '../server/config.ts'
import type { Services } from '../server/services.ts'
import { startReleasingDeliveries } from './dispatcher.ts'
import type { Outside } from './post.ts'
import { deliverWebhooks } from './processor.ts'

/** Dispatches due webhook deliveries and sends them. */
export function startWebhooks(services: Services, config: WorkerConfig, outside: Outside): { stop(): Promise<void> } {
  const { redisUrl, queuePrefix: prefix, webhookSlots: slots, release } = config
  const queue = openWebhookQueue(redisUrl, prefix)
  const deliver = deliverWebhooks(services, outside)
  const work = (task: DispatchedDelivery) =>
    deliver(task).catch((error: unknown) => {
      services.log.warn({ err: error, delivery: task.id }, 'webhook delivery not settled; requeued')
    })
  const worker = startWebhookWorker({ url: redisUrl, prefix }, slots, work)
  worker.resume()
  const releasing = release ? startReleasingDeliveries(services, { queue, work, slots }) : undefined
  return {
    async stop() {
      await Promise.all([releasing?.stop(), worker.close()])
      await queue.close()
    },
  }
}
