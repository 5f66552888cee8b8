import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { LastingCode } from '@probity/contract/problem'
import type { EmailCount } from '@probity/uploads/count-emails'
import type { Layout } from '@probity/uploads/read-addresses'
import type { UploadReading } from '@probity/uploads/read-upload'
import type { FileStorage } from '@probity/uploads/storage'
import { Problem } from '../problem.ts'

export type ReadTask = { path: string; emailsMax: number } & (
  | { kind: 'read'; column?: string | undefined }
  | { kind: 'count'; layout: Layout }
)
export type ReadOutcome =
  | { kind: 'read'; reading: UploadReading }
  | { kind: 'counted'; count: EmailCount }
  | { kind: 'refused'; code: LastingCode; detail: string }

/** Reads uploaded files beside the thread that answers requests. */
export type UploadReader = {
  /** All that is in a file of this machine. Throws a Problem for one that cannot be used. */
  read(path: string, emailsMax: number): Promise<UploadReading>
  /** The same of a kept file, with the counts of a column other than the suggested one where it is named. */
  readKept(key: string, emailsMax: number, column?: string): Promise<UploadReading>
  /** What is in one column of a kept file. Throws a Problem where that is more than a list may have. */
  count(key: string, layout: Layout, emailsMax: number): Promise<EmailCount>
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

export function openUploadReader(storage: FileStorage, deadlineMs = DEADLINE_MS): UploadReader {
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

  async function readInTurn(task: ReadTask): Promise<Exclude<ReadOutcome, { kind: 'refused' }>> {
    await takePlace()
    try {
      const outcome = await readInThread(task)
      if (outcome.kind === 'refused') throw new Problem(outcome.code, outcome.detail)
      return outcome
    } finally {
      leavePlace()
    }
  }

  async function read(path: string, emailsMax: number, column?: string): Promise<UploadReading> {
    const outcome = await readInTurn({ kind: 'read', path, emailsMax, column })
    if (outcome.kind !== 'read') throw new Error('the thread did something else')
    return outcome.reading
  }

  return {
    read,
    readKept: (key, emailsMax, column) => storage.lend(key, (path) => read(path, emailsMax, column)),
    async count(key, layout, emailsMax) {
      const outcome = await storage.lend(key, (path) => readInTurn({ kind: 'count', path, layout, emailsMax }))
      if (outcome.kind !== 'counted') throw new Error('the thread did something else')
      return outcome.count
    },
    async stop() {
      await Promise.all([...threads].map((thread) => thread.terminate()))
    },
  }
}

function tooBusy(): Problem {
  return new Problem('overloaded', undefined, { retryAfterS: RETRY_AFTER_S })
}
