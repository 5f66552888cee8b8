import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ProblemCode } from '@probity/contract/problem'
import { Problem } from '../problem.ts'
import type { UploadReading } from './read-upload.ts'

export type ReadTask = { folder: string; key: string; emailsMax: number }
export type ReadOutcome =
  | { kind: 'read'; reading: UploadReading }
  | { kind: 'refused'; code: ProblemCode; detail: string }

/** Reads uploaded files beside the thread that answers requests. */
export type UploadReader = {
  /** Throws a Problem for a file that cannot be used. */
  read(key: string, emailsMax: number): Promise<UploadReading>
  stop(): Promise<void>
}

/** A file is read within this or not at all. Ours take seconds: this is for what nobody thought of. */
const DEADLINE_MS = 120_000
/** Reading keeps a processor busy, and the answers to others need one too. */
const THREADS_MAX = 2
const WAITING_MAX = 50
const RETRY_AFTER_S = 5
/** Young objects are nearly all there are here; a small room for them keeps the whole small. */
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4 }

export function openUploadReader(folder: string, deadlineMs = DEADLINE_MS): UploadReader {
  const threads = new Set<Worker>()
  const waiting: Array<() => void> = []
  let free = THREADS_MAX

  async function takePlace(): Promise<void> {
    if (free > 0) free--
    else if (waiting.length >= WAITING_MAX) throw tooBusy()
    else await new Promise<void>((resolve) => waiting.push(resolve))
  }

  function leavePlace(): void {
    const next = waiting.shift()
    if (next) next()
    else free++
  }

  async function readInThread(task: ReadTask): Promise<ReadOutcome> {
    // Without our environment: what is read there comes from strangers, and it needs none of our secrets.
    const entry = new URL('./reader-thread.ts', import.meta.url)
    const thread = new Worker(entry, { workerData: task, resourceLimits: MEMORY, env: {}, execArgv: [] })
    threads.add(thread)
    try {
      const [outcome] = await once(thread, 'message', { signal: AbortSignal.timeout(deadlineMs) })
      return outcome as ReadOutcome
    } catch (error) {
      if (error instanceof Error && error.name === 'AbortError') throw tooBusy()
      throw error
    } finally {
      await thread.terminate()
      threads.delete(thread)
    }
  }

  async function read(key: string, emailsMax: number): Promise<UploadReading> {
    await takePlace()
    try {
      const outcome = await readInThread({ folder, key, emailsMax })
      if (outcome.kind === 'refused') throw new Problem(outcome.code, outcome.detail)
      return outcome.reading
    } finally {
      leavePlace()
    }
  }

  return {
    read,
    async stop() {
      await Promise.all([...threads].map((thread) => thread.terminate()))
    },
  }
}

function tooBusy(): Problem {
  return new Problem('overloaded', undefined, { retryAfterS: RETRY_AFTER_S })
}
