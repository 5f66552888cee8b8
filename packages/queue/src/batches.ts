import { openTaskQueue, startTaskWorker, type TaskQueue, type TaskWorker } from './tasks.ts'

/** A batch of a job that was let out for work: where it is kept, and nothing of what is in it. */
export type BatchTask = { expiresOn: string; accountId: string; jobId: string; no: number; epoch: number }

const NAME = 'batches'

export type BatchQueue = TaskQueue<BatchTask>

export function openBatchQueue(url: string, prefix: string): BatchQueue {
  return openTaskQueue(NAME, { url, prefix }, nameOf)
}

/** The epoch makes it another task each time it is let out: the one before may be with a worker that died or stands still. */
function nameOf({ jobId, no, epoch }: BatchTask): string {
  return `${jobId}-${no}-${epoch}`
}

export function startBatchWorker(
  redis: { url: string; prefix: string },
  slots: number,
  work: (task: BatchTask) => Promise<void>,
): TaskWorker {
  return startTaskWorker(NAME, redis, slots, work)
}
