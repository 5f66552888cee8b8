import { Queue, Worker } from 'bullmq'
import { connectPatiently, connectRedis } from './redis.ts'

/** PostgreSQL stores the state and the retries, so a task is removed from Redis when a worker receives it. */
const HAND_OVER = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const

export type TaskQueue<Task> = {
  /** Enqueues tasks for workers; rejects immediately if Redis is unavailable. */
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
  queue.on('error', () => {}) // `add` throws the error itself
  return {
    async add(tasks) {
      // BullMQ waits for the first connection without a limit, whatever the client options say.
      if (connection.status !== 'ready') throw new Error('redis unavailable')
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
  /** Starts, or resumes after a pause. */
  goOn(): void
  /** Accepts no further tasks and finishes active ones. */
  pause(): Promise<void>
  close(): Promise<void>
}

/** Processes tasks with bounded concurrency after `goOn`. Lost tasks are found again in PostgreSQL. */
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
  worker.on('error', () => {}) // Redis is unavailable; the dispatcher continues from PostgreSQL
  let hasBegun = false
  return {
    goOn() {
      if (hasBegun) void worker.resume()
      else void worker.run().catch(() => {}) // as above
      hasBegun = true
    },
    // A queue that has not started has nothing to pause, and would not start afterwards.
    pause: async () => void (hasBegun && (await worker.pause(true))),
    async close() {
      await worker.close()
      connection.disconnect()
    },
  }
}
