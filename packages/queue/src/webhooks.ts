import { openTaskQueue, startTaskWorker, type TaskQueue, type TaskWorker } from './tasks.ts'

/** A delivery that was let out: where it is kept, and nothing of what is in it. */
export type DeliveryTask = { accountId: string; id: string; epoch: number }

const NAME = 'webhooks'

export type WebhookQueue = TaskQueue<DeliveryTask>

export function openWebhookQueue(url: string, prefix: string): WebhookQueue {
  // The epoch makes it another task each time it is let out: the one before may be with a worker that died.
  return openTaskQueue(NAME, { url, prefix }, ({ id, epoch }) => `${id}-${epoch}`)
}

export function startWebhookWorker(
  redis: { url: string; prefix: string },
  slots: number,
  work: (task: DeliveryTask) => Promise<void>,
): TaskWorker {
  return startTaskWorker(NAME, redis, slots, work)
}
