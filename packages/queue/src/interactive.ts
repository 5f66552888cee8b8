import { Queue, Worker } from 'bullmq'
import { connectPatiently, connectRedis, refuseAway } from './redis.ts'

/** Where a validation is kept. Says nothing about the address: what is in Redis may be read by others. */
export type Ref = { expiresOn: string; accountId: string; id: string }

/** Validations that callers are waiting for, and the api process to be woken when they are done. */
export type InteractiveTask = { refs: Ref[]; replyTo: string }

const NAME = 'interactive'

/** Retrying is PostgreSQL's business, and so is remembering: a task is gone once it was handed over. */
const HAND_OVER = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const

export type InteractiveQueue = {
  /** Hands validations to the workers; rejects at once where Redis is away. */
  add(task: InteractiveTask): Promise<void>
  close(): Promise<void>
}

export function openInteractiveQueue(redisUrl: string, prefix: string): InteractiveQueue {
  const connection = connectRedis(redisUrl)
  const queue = new Queue<InteractiveTask>(NAME, { connection, prefix, skipVersionCheck: true })
  queue.on('error', () => {}) // `add` meets the error by itself
  return {
    async add(task) {
      refuseAway(connection)
      await queue.add('validate', task, HAND_OVER)
    },
    async close() {
      await queue.close()
      connection.disconnect()
    },
  }
}

export type InteractiveWorker = { close(): Promise<void> }

/** Works tasks off, so many at once. A task that is lost on the way is found again in PostgreSQL. */
export function startInteractiveWorker(
  redisUrl: string,
  prefix: string,
  concurrency: number,
  work: (task: InteractiveTask) => Promise<void>,
): InteractiveWorker {
  const connection = connectPatiently(redisUrl)
  const worker = new Worker<InteractiveTask>(NAME, (job) => work(job.data), {
    connection,
    prefix,
    concurrency,
    maxStalledCount: 1_000,
    skipVersionCheck: true,
  })
  worker.on('error', () => {}) // Redis is away; the release loop takes work from PostgreSQL meanwhile
  return {
    async close() {
      await worker.close()
      connection.disconnect()
    },
  }
}
