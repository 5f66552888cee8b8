import { Queue, Worker } from 'bullmq'
import { connectPatiently, connectRedis, refuseAway } from './redis.ts'

/** A delivery that was let out: where it is kept, and nothing of what is in it. */
export type DeliveryTask = { accountId: string; id: string; epoch: number }

const NAME = 'webhooks'

/** Retrying is PostgreSQL's business, and so is remembering: a task is gone once it was handed over. */
const HAND_OVER = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const

export type WebhookQueue = {
  /** Hands deliveries to the workers; rejects at once where Redis is away. */
  add(deliveries: DeliveryTask[]): Promise<void>
  close(): Promise<void>
}

export function openWebhookQueue(redisUrl: string, prefix: string): WebhookQueue {
  const connection = connectRedis(redisUrl)
  const queue = new Queue<DeliveryTask>(NAME, { connection, prefix, skipVersionCheck: true })
  queue.on('error', () => {}) // `add` meets the error by itself
  return {
    async add(deliveries) {
      refuseAway(connection)
      // The epoch makes it another task each time it is let out: the one before may be with a worker that died.
      const tasks = deliveries.map((data) => ({
        name: 'deliver',
        data,
        opts: { ...HAND_OVER, jobId: `${data.id}-${data.epoch}` },
      }))
      await queue.addBulk(tasks)
    },
    async close() {
      await queue.close()
      connection.disconnect()
    },
  }
}

/** Works deliveries off, so many at once. One that is lost on the way is let out again from PostgreSQL. */
export function startWebhookWorker(
  redis: { url: string; prefix: string },
  slots: number,
  work: (task: DeliveryTask) => Promise<void>,
): { close(): Promise<void> } {
  const connection = connectPatiently(redis.url)
  const worker = new Worker<DeliveryTask>(NAME, (job) => work(job.data), {
    connection,
    prefix: redis.prefix,
    concurrency: slots,
    maxStalledCount: 1_000,
    skipVersionCheck: true,
  })
  worker.on('error', () => {}) // Redis is away; who lets deliveries out works on them meanwhile
  return {
    async close() {
      await worker.close()
      connection.disconnect()
    },
  }
}
