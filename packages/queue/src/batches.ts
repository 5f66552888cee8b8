import { Queue, Worker } from 'bullmq'
import { connectPatiently, connectRedis, refuseAway } from './redis.ts'

/** A batch of a job that was let out for work: where it is kept, and nothing of what is in it. */
export type BatchTask = { expiresOn: string; accountId: string; jobId: string; no: number; epoch: number }

const NAME = 'batches'

/** Retrying is PostgreSQL's business, and so is remembering: a task is gone once it was handed over. */
const HAND_OVER = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const

export type BatchQueue = {
  /** Hands batches to the workers; one that waits already is not added again. Rejects at once where Redis is away. */
  add(batches: BatchTask[]): Promise<void>
  close(): Promise<void>
}

export function openBatchQueue(redisUrl: string, prefix: string): BatchQueue {
  const connection = connectRedis(redisUrl)
  const queue = new Queue<BatchTask>(NAME, { connection, prefix, skipVersionCheck: true })
  queue.on('error', () => {}) // `add` meets the error by itself
  return {
    async add(batches) {
      refuseAway(connection)
      const tasks = batches.map((data) => ({ name: 'validate', data, opts: { ...HAND_OVER, jobId: nameOf(data) } }))
      await queue.addBulk(tasks)
    },
    async close() {
      await queue.close()
      connection.disconnect()
    },
  }
}

/** The epoch makes it another task each time it is let out: the one before may be with a worker that died or stands still. */
function nameOf({ jobId, no, epoch }: BatchTask): string {
  return `${jobId}-${no}-${epoch}`
}

export type BatchWorker = { close(): Promise<void> }

/** Works batches off, so many at once. One that is lost on the way is let out again from PostgreSQL. */
export function startBatchWorker(
  redis: { url: string; prefix: string },
  slots: number,
  work: (task: BatchTask) => Promise<void>,
): BatchWorker {
  const connection = connectPatiently(redis.url)
  const worker = new Worker<BatchTask>(NAME, (job) => work(job.data), {
    connection,
    prefix: redis.prefix,
    concurrency: slots,
    maxStalledCount: 1_000,
    skipVersionCheck: true,
  })
  worker.on('error', () => {}) // Redis is away; what was let out meanwhile is let out again later
  return {
    async close() {
      await worker.close()
      connection.disconnect()
    },
  }
}
