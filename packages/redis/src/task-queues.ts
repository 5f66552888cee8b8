import { Queue, Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import { connectRedis, connectWithRetries } from './connection.ts'
import { QUEUES, type QueueName, queueListKey } from './keys.ts'

type RedisLocation = { url: string; prefix: string }

/** PostgreSQL stores the state and the retries, so a task is removed from Redis when a worker receives it. */
const TASK_OPTIONS = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const

export type TaskQueue<Task> = {
  /** Enqueues tasks for workers; rejects immediately if Redis is unavailable. */
  add(tasks: Task[]): Promise<void>
  close(): Promise<void>
}

/** A task is not added if one with the same id, as `idOf` returns it, is waiting. */
function openTaskQueue<Task>(
  name: QueueName,
  { url, prefix }: RedisLocation,
  idOf?: (task: Task) => string,
): TaskQueue<Task> {
  const connection = connectRedis(url)
  const queue = new Queue<unknown>(name, { connection, prefix, skipVersionCheck: true })
  queue.on('error', () => {}) // `add` throws the error itself
  return {
    async add(tasks) {
      // BullMQ waits for the first connection without a limit, whatever the client options say.
      if (connection.status !== 'ready') throw new Error('redis unavailable')
      const jobs = tasks.map((data) => ({ name, data, opts: { ...TASK_OPTIONS, ...(idOf && { jobId: idOf(data) }) } }))
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
  resume(): void
  /** Accepts no further tasks and finishes active ones. */
  pause(): Promise<void>
  close(): Promise<void>
}

/** Processes tasks with bounded concurrency after `resume`. Lost tasks are found again in PostgreSQL. */
function startTaskWorker<Task>(
  name: QueueName,
  { url, prefix }: RedisLocation,
  concurrency: number,
  work: (task: Task) => Promise<void>,
): TaskWorker {
  const connection = connectWithRetries(url)
  const worker = new Worker<Task>(name, (job) => work(job.data), {
    connection,
    prefix,
    concurrency,
    maxStalledCount: 1_000,
    skipVersionCheck: true,
    autorun: false,
  })
  worker.on('error', () => {}) // Redis is unavailable; the dispatcher continues from PostgreSQL
  let hasStarted = false
  return {
    resume() {
      if (hasStarted) void worker.resume()
      else void worker.run().catch(() => {}) // as above
      hasStarted = true
    },
    // A worker that has not started has nothing to pause, and would not start afterwards.
    pause: async () => void (hasStarted && (await worker.pause(true))),
    async close() {
      await worker.close()
      connection.disconnect()
    },
  }
}

/** Where a validation is stored. Without the address, which other clients of Redis could read. */
export type Ref = { expiresOn: string; accountId: string; id: string }

/**
 * Validations to process, and the API process to notify if a client waits there. `echo` is a name that the process is notified of, to
 * measure how long tasks take.
 */
export type InteractiveTask = { refs: Ref[]; replyTo?: string; echo?: string; traced?: Traced }

/** When a task was enqueued (Unix time in milliseconds) and the traces of its validations, by their ids. */
export type Traced = { at: number; parents: Record<string, string> }

export type InteractiveQueue = {
  /** Enqueues validations for workers; rejects immediately if Redis is unavailable. */
  add(task: InteractiveTask): Promise<void>
  close(): Promise<void>
}

export function openInteractiveQueue(url: string, prefix: string): InteractiveQueue {
  const queue = openTaskQueue<InteractiveTask>('interactive', { url, prefix })
  return { add: (task) => queue.add([task]), close: () => queue.close() }
}

export function startInteractiveWorker(
  url: string,
  prefix: string,
  concurrency: number,
  work: (task: InteractiveTask) => Promise<void>,
): TaskWorker {
  return startTaskWorker('interactive', { url, prefix }, concurrency, work)
}

/** A dispatched batch of a job: where it is stored, without its content. */
export type BatchTask = { expiresOn: string; accountId: string; jobId: string; no: number; epoch: number }

export type BatchQueue = TaskQueue<BatchTask>

export function openBatchQueue(url: string, prefix: string): BatchQueue {
  // Each dispatch has its own epoch and is another task: the worker of the previous one may have stopped.
  return openTaskQueue('batches', { url, prefix }, ({ jobId, no, epoch }) => `${jobId}-${no}-${epoch}`)
}

export function startBatchWorker(
  redis: RedisLocation,
  concurrency: number,
  work: (task: BatchTask) => Promise<void>,
): TaskWorker {
  return startTaskWorker('batches', redis, concurrency, work)
}

/** A dispatched webhook delivery: where it is stored, without its content. */
export type DeliveryTask = { accountId: string; id: string; epoch: number }

export type WebhookQueue = TaskQueue<DeliveryTask>

export function openWebhookQueue(url: string, prefix: string): WebhookQueue {
  // As for batches.
  return openTaskQueue('webhooks', { url, prefix }, ({ id, epoch }) => `${id}-${epoch}`)
}

export function startWebhookWorker(
  redis: RedisLocation,
  concurrency: number,
  work: (task: DeliveryTask) => Promise<void>,
): TaskWorker {
  return startTaskWorker('webhooks', redis, concurrency, work)
}

export type QueueDepth = { name: QueueName; waiting: number; active: number }

/** The number of tasks in Redis, by queue. They refer to rows; a task that Redis loses is dispatched again from PostgreSQL. */
export function readQueueDepths(redis: Redis, prefix: string): Promise<QueueDepth[]> {
  return Promise.all(
    QUEUES.map(async (name) => {
      const [waiting, active] = await Promise.all([
        redis.llen(queueListKey(prefix, name, 'wait')),
        redis.llen(queueListKey(prefix, name, 'active')),
      ])
      return { name, waiting, active }
    }),
  )
}
