import { openTaskQueue, startTaskWorker, type TaskWorker } from './tasks.ts'

/** Where a validation is kept. Says nothing about the address: what is in Redis may be read by others. */
export type Ref = { expiresOn: string; accountId: string; id: string }

/**
 * Validations to be worked on, and the api process to be woken when they are done, if a caller waits there. `echo` is a sign that the
 * process wants to hear, to learn how long tasks take just now.
 */
export type InteractiveTask = { refs: Ref[]; replyTo?: string; echo?: string; traced?: Traced }

/** When a task was handed over, in Unix time in milliseconds, and which requests it belongs to, by ids of validations, where those are traced. */
export type Traced = { at: number; parents: Record<string, string> }

const NAME = 'interactive'

export type InteractiveQueue = {
  /** Hands validations to the workers; rejects at once where Redis is away. */
  add(task: InteractiveTask): Promise<void>
  close(): Promise<void>
}

export function openInteractiveQueue(url: string, prefix: string): InteractiveQueue {
  const queue = openTaskQueue<InteractiveTask>(NAME, { url, prefix })
  return { add: (task) => queue.add([task]), close: () => queue.close() }
}

export function startInteractiveWorker(
  url: string,
  prefix: string,
  concurrency: number,
  work: (task: InteractiveTask) => Promise<void>,
): TaskWorker {
  return startTaskWorker(NAME, { url, prefix }, concurrency, work)
}
