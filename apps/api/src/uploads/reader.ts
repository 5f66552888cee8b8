import type { LastingCode } from '@probity/contract/constants/problems'
import type { FileErasure, FileSearch } from '@probity/uploads/erase-rows'
import type { Layout } from '@probity/uploads/read-addresses'
import type { ColumnReading } from '@probity/uploads/read-column'
import type { UploadReading } from '@probity/uploads/read-upload'
import type { FileStorage } from '@probity/uploads/storage'
import { Piscina } from 'piscina'
import { Problem } from '../problem.ts'
import { openTurns } from './turns.ts'

export type ReadTask =
  | { kind: 'file'; path: string; emailsMax: number }
  | { kind: 'column'; path: string; emailsMax: number; layout: Layout }
  | { kind: 'find'; path: string; search: FileSearch }
  | { kind: 'erase'; path: string; to: string; erasure: FileErasure }
export type ReadOutcome =
  | { kind: 'found'; isFound: boolean }
  | { kind: 'erased'; rows: number }
  | { kind: 'file'; reading: UploadReading }
  | { kind: 'column'; reading: ColumnReading }
  | { kind: 'refused'; code: LastingCode; detail: string }

/** The account that a file is read for, the most addresses that its plan takes, and a signal that ends the reading. */
export type ReadOptions = TurnOptions & { emailsMax: number }
type TurnOptions = { accountId: string; signal?: AbortSignal }

/** Reads uploaded files in another thread, one at a time for each account. */
export type UploadReader = {
  /** All that is in a file of this machine. Throws a Problem for one that cannot be used. */
  read(path: string, options: ReadOptions): Promise<UploadReading>
  /** The same of a kept file. */
  readKept(key: string, options: ReadOptions): Promise<UploadReading>
  /** The addresses in one column of a kept file. Throws a Problem where it has more than a list may have. */
  readColumn(key: string, layout: Layout, options: ReadOptions): Promise<ColumnReading>
  /** Whether a kept file contains an address, in any column. */
  find(key: string, search: FileSearch, options: TurnOptions): Promise<boolean>
  /** Rewrites a kept file without an address. Returns the number of changed rows. */
  erase(key: string, erasure: FileErasure, options: TurnOptions): Promise<number>
  stop(): Promise<void>
}

/** The limit for one reading, its wait included. Readings take seconds: this bounds files that our own limits do not. */
const DEADLINE_MS = 120_000
const RETRY_AFTER_S = 5
/** Readings of one account that wait for their turn. Each upload among them has its file on the disk. */
const WAITING_MAX = 20

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
  // Without the environment: the thread parses untrusted files and needs no secrets.
  env: {},
  recordTiming: false,
} as const

type Found = Exclude<ReadOutcome, { kind: 'refused' }>

export function openUploadReader(storage: FileStorage, deadlineMs = DEADLINE_MS): UploadReader {
  const threads = new Piscina<ReadTask, ReadOutcome>({ ...THREADS, execArgv: [] })
  const turns = openTurns()

  async function run(task: ReadTask, signal: AbortSignal): Promise<Found> {
    if (threads.queueSize >= THREADS.maxQueue) throw tooBusy()
    const outcome = await threads.run(task, { signal })
    if (outcome.kind === 'refused') throw new Problem(outcome.code, outcome.detail)
    return outcome
  }

  /** An abort ends the thread of a running reading, so that no thread works for a client that has disconnected. */
  async function takeTurn<T>(options: TurnOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { accountId, signal: gone } = options
    if (turns.waiting(accountId) >= WAITING_MAX) throw tooBusy()
    const deadline = AbortSignal.timeout(deadlineMs)
    const signal = gone ? AbortSignal.any([gone, deadline]) : deadline
    try {
      return await turns.take(accountId, signal, () => work(signal))
    } catch (error) {
      if (gone?.aborted) throw new Problem('request_timeout', 'The client disconnected.')
      throw deadline.aborted && !(error instanceof Problem) ? tooBusy() : error
    }
  }

  async function readFile(path: string, { emailsMax }: ReadOptions, signal: AbortSignal): Promise<Found> {
    return run({ kind: 'file', path, emailsMax }, signal)
  }

  return {
    read: async (path, options) => asFile(await takeTurn(options, (signal) => readFile(path, options, signal))),
    readKept: async (key, options) =>
      asFile(await takeTurn(options, (signal) => storage.lend(key, (path) => readFile(path, options, signal)))),
    async readColumn(key, layout, options) {
      const { emailsMax } = options
      const outcome = await takeTurn(options, (signal) =>
        storage.lend(key, (path) => run({ kind: 'column', path, layout, emailsMax }, signal)),
      )
      if (outcome.kind !== 'column') throw new Error('unexpected message of the upload thread')
      return outcome.reading
    },
    async find(key, search, options) {
      const outcome = await takeTurn(options, (signal) =>
        storage.lend(key, (path) => run({ kind: 'find', path, search }, signal)),
      )
      if (outcome.kind !== 'found') throw new Error('unexpected message of the upload thread')
      return outcome.isFound
    },
    async erase(key, erasure, options) {
      return takeTurn(options, async (signal) => {
        let rows = 0
        await storage.rewrite(key, async (path, to) => {
          const outcome = await run({ kind: 'erase', path, to, erasure }, signal)
          if (outcome.kind !== 'erased') throw new Error('unexpected message of the upload thread')
          rows = outcome.rows
          return rows > 0
        })
        return rows
      })
    },
    stop: () => threads.destroy(),
  }
}

function asFile(outcome: Found): UploadReading {
  if (outcome.kind !== 'file') throw new Error('unexpected message of the upload thread')
  return outcome.reading
}

function tooBusy(): Problem {
  return new Problem('overloaded', undefined, { retryAfterS: RETRY_AFTER_S })
}
