import { Queue, Worker } from 'bullmq'
import { connectPatiently, connectRedis } from './redis.ts'

/** Retrying is PostgreSQL's business, and so is remembering: a task is gone once it was handed over. */
const HAND_OVER = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const

export type TaskQueue<Task> = {
  /** Hands tasks to the workers; rejects at once where Redis is away. */
  add(tasks: Task[]): Promise<void>
  close(): Promise<void>
}

/** `nameOf`: one that waits already under its name is not added again. */
export function openTaskQueue<Task>(
  name: string,
  redis: { url: string; prefix: string },
  nameOf?: (task: Task) => string,
): TaskQueue<Task> {
  const connection = connectRedis(redis.url)
  const queue = new Queue<unknown>(name, { connection, prefix: redis.prefix, skipVersionCheck: true })
  queue.on('error', () => {}) // `add` meets the error by itself
  return {
    async add(tasks) {
      // BullMQ waits for the first connection for as long as it takes, whatever the client was told.
      if (connection.status !== 'ready') throw new Error('redis is away')
      const jobs = tasks.map((data) => ({ name, data, opts: { ...HAND_OVER, ...(nameOf && { jobId: nameOf(data) }) } }))
      const [first, ...more] = jobs
      if (first && more.length === 0) await queue.add(first.name, first.data, first.opts)
      else await queue.addBulk(jobs)
    },
    async close() {
      await queue.close()
      connection.disconnect()
    },
  }
}

export type TaskWorker = {
  /** Begins, or goes on after a pause. */
  goOn(): void
  /** Takes no more tasks. What it has begun it ends. */
  pause(): Promise<void>
  close(): Promise<void>
}

/** Works tasks off, so many at once, from when it is told to go on. One that is lost on the way is found again in PostgreSQL. */
export function startTaskWorker<Task>(
  name: string,
  redis: { url: string; prefix: string },
  slots: number,
  work: (task: Task) => Promise<void>,
): TaskWorker {
  const connection = connectPatiently(redis.url)
  const worker = new Worker<Task>(name, (job) => work(job.data), {
    connection,
    prefix: redis.prefix,
    concurrency: slots,
    maxStalledCount: 1_000,
    skipVersionCheck: true,
    autorun: false,
  })
  worker.on('error', () => {}) // Redis is away; the release loops go on from PostgreSQL meanwhile
  let hasBegun = false
  return {
    goOn() {
      if (hasBegun) void worker.resume()
      else void worker.run().catch(() => {}) // as above
      hasBegun = true
    },
    // One that has not begun has nothing to pause, and would not begin afterwards.
    pause: async () => void (hasBegun && (await worker.pause(true))),
    async close() {
      await worker.close()
      connection.disconnect()
    },
  }
}
