import type { LastingCode } from '@probity/contract/problem'
import type { Layout } from '@probity/uploads/read-addresses'
import type { ColumnReading } from '@probity/uploads/read-column'
import type { UploadReading } from '@probity/uploads/read-upload'
import type { FileStorage } from '@probity/uploads/storage'
import { Piscina } from 'piscina'
import { Problem } from '../problem.ts'

export type ReadTask = { path: string; emailsMax: number } & ({ kind: 'file' } | { kind: 'column'; layout: Layout })
export type ReadOutcome =
  | { kind: 'file'; reading: UploadReading }
  | { kind: 'column'; reading: ColumnReading }
  | { kind: 'refused'; code: LastingCode; detail: string }

/** Reads uploaded files beside the thread that answers requests. */
export type UploadReader = {
  /** All that is in a file of this machine. Throws a Problem for one that cannot be used. */
  read(path: string, emailsMax: number): Promise<UploadReading>
  /** The same of a kept file. */
  readKept(key: string, emailsMax: number): Promise<UploadReading>
  /** The addresses in one column of a kept file. Throws a Problem where it has more than a list may have. */
  readColumn(key: string, layout: Layout, emailsMax: number): Promise<ColumnReading>
  stop(): Promise<void>
}

/** A file is read within this or not at all. Ours take seconds: this is for what nobody thought of. */
const DEADLINE_MS = 120_000
const RETRY_AFTER_S = 5

const THREADS = {
  filename: new URL('./reader-thread.ts', import.meta.url).href,
  name: 'readFile',
  // Reading keeps a processor busy, and the answers to others need one too.
  maxThreads: 2,
  minThreads: 0,
  maxQueue: 50,
  // To begin takes a thread longer than to read most files, so it stays for the next for a while.
  idleTimeout: 30_000,
  // One that waits for the next file must not stand still over what it has yet to close of the last.
  atomics: 'disabled',
  // Young objects are nearly all there are here; a small room for them keeps the whole small.
  resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4 },
  // Without our environment: what is read there comes from strangers, and it needs none of our secrets.
  env: {},
  recordTiming: false,
} as const

export function openUploadReader(storage: FileStorage, deadlineMs = DEADLINE_MS): UploadReader {
  const threads = new Piscina<ReadTask, ReadOutcome>({ ...THREADS, execArgv: [] })

  async function readInTurn(task: ReadTask): Promise<Exclude<ReadOutcome, { kind: 'refused' }>> {
    if (threads.queueSize >= THREADS.maxQueue) throw tooBusy()
    const outcome = await threads.run(task, { signal: AbortSignal.timeout(deadlineMs) }).catch((error: Error) => {
      throw error.name === 'AbortError' ? tooBusy() : error
    })
    if (outcome.kind === 'refused') throw new Problem(outcome.code, outcome.detail)
    return outcome
  }

  async function read(path: string, emailsMax: number): Promise<UploadReading> {
    const outcome = await readInTurn({ kind: 'file', path, emailsMax })
    if (outcome.kind !== 'file') throw new Error('the thread did something else')
    return outcome.reading
  }

  return {
    read,
    readKept: (key, emailsMax) => storage.lend(key, (path) => read(path, emailsMax)),
    async readColumn(key, layout, emailsMax) {
      const outcome = await storage.lend(key, (path) => readInTurn({ kind: 'column', path, layout, emailsMax }))
      if (outcome.kind !== 'column') throw new Error('the thread did something else')
      return outcome.reading
    },
    stop: () => threads.destroy(),
  }
}

function tooBusy(): Problem {
  return new Problem('overloaded', undefined, { retryAfterS: RETRY_AFTER_S })
}
