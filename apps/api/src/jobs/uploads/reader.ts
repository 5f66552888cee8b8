import type { PermanentCode } from '@probity/contract/constants/problems'
import type { FileCorrection, NonAddress, Suggestion } from '@probity/uploads/correct-cells'
import type { FileErasure, FileSearch } from '@probity/uploads/erase-rows'
import type { ColumnReading, Layout } from '@probity/uploads/read-addresses'
import type { UploadOptions, UploadReading } from '@probity/uploads/read-upload'
import type { RowSelection, SelectedRows } from '@probity/uploads/select-rows'
import type { FileStorage } from '@probity/uploads/storage'
import { Piscina } from 'piscina'
import { Problem } from '../../http/problem.ts'
import {
  createThreadClock,
  type FailureBudget,
  openFailureBudget,
  readThreadMs,
  type ThreadClock,
  watchCpu,
} from './reading-limits.ts'

/** Serializes the work of each account. */
export type Turns = {
  /** Runs the work when no other of the account runs. Rejects with the signal's reason if it aborts before that. */
  take<T>(accountId: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>
  /** Number of waiting tasks of the account. */
  waiting(accountId: string): number
}

/** At most one task per account at a time, in order of arrival, so that one account cannot occupy a shared pool. */
export function openTurns(): Turns {
  /** Contains the accounts with a running task. */
  const queues = new Map<string, (() => void)[]>()

  async function enter(accountId: string, signal: AbortSignal): Promise<void> {
    const queue = queues.get(accountId)
    if (queue === undefined) {
      queues.set(accountId, [])
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const abandon = () => {
      const at = queue.indexOf(resolve)
      if (at === -1) return // it has already started
      queue.splice(at, 1)
      reject(signal.reason)
    }
    queue.push(resolve)
    signal.addEventListener('abort', abandon, { once: true })
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', abandon)
    }
  }

  function leave(accountId: string): void {
    const next = queues.get(accountId)?.shift()
    if (next === undefined) queues.delete(accountId)
    else next()
  }

  return {
    async take(accountId, signal, work) {
      signal.throwIfAborted()
      await enter(accountId, signal)
      try {
        return await work()
      } finally {
        leave(accountId)
      }
    },
    waiting: (accountId) => queues.get(accountId)?.length ?? 0,
  }
}

export type ReadTask =
  | ({ kind: 'file'; path: string } & UploadOptions)
  | ({ kind: 'workbook'; path: string; to: string; sheet: string | undefined } & UploadOptions)
  | { kind: 'correction'; path: string; to: string; emailsMax: number; correction: FileCorrection }
  | { kind: 'non_addresses'; path: string; layout: Layout; page: ReadPage }
  | { kind: 'suggestions'; path: string; layout: Layout; page: ReadPage }
  | { kind: 'column'; path: string; emailsMax: number; layout: Layout }
  | { kind: 'find'; path: string; search: FileSearch }
  | { kind: 'erase'; path: string; to: string; erasure: FileErasure }
  | { kind: 'select'; path: string; to: string; selection: RowSelection }
/** A task as it is sent to a thread. */
export type TimedTask = { task: ReadTask; clock: ThreadClock }
export type ReadOutcome =
  | { kind: 'found'; isFound: boolean }
  | { kind: 'erased'; rows: number }
  | { kind: 'selected'; rows: SelectedRows }
  | { kind: 'file'; reading: FileReading }
  | { kind: 'column'; reading: ColumnReading }
  | { kind: 'non_addresses'; found: FoundPage<NonAddress> }
  | { kind: 'suggestions'; found: FoundPage<Suggestion> }
  | { kind: 'refused'; code: PermanentCode; detail: string }

/** The content of a file, and the SHA-256 hash of its rows as they are stored. */
export type FileReading = UploadReading & { hash: string }
type ReadPage = { skip: number; limit: number }
type FoundPage<T> = { values: T[]; total: number }

/** The account of the file, the address limit of its plan, how cells are read, and a signal that ends the reading. */
export type ReadOptions = TurnOptions & Pick<UploadOptions, 'emailsMax' | 'cells'>
type HeaderOption = Pick<UploadOptions, 'headerRow'>
type TurnOptions = { accountId: string; signal?: AbortSignal }

/** Reads uploaded files in another thread, one at a time for each account. */
export type UploadReader = {
  /** Reads a local file. Throws a Problem for an unusable file. */
  read(path: string, options: ReadOptions & HeaderOption): Promise<FileReading>
  /** Writes a sheet of a workbook as CSV, by default the first one with addresses, and reads it. Both files are local. */
  convert(
    path: string,
    to: string,
    options: ReadOptions & HeaderOption & { sheet?: string | undefined },
  ): Promise<FileReading>
  /** Writes a local file with corrected values, and reads it. */
  correct(path: string, to: string, options: ReadOptions & { correction: FileCorrection }): Promise<FileReading>
  /** Reads a stored file. */
  readKept(key: string, options: ReadOptions & HeaderOption): Promise<FileReading>
  /** The addresses in one column of a stored file. Throws a Problem if they exceed the limit. */
  readColumn(key: string, layout: Layout, options: TurnOptions & { emailsMax: number }): Promise<ColumnReading>
  /** The values of a column that are not addresses. */
  listNonAddresses(key: string, layout: Layout, options: TurnOptions & ReadPage): Promise<FoundPage<NonAddress>>
  /** The cells of a column with an address whose domain looks mistyped. */
  listSuggestions(key: string, layout: Layout, options: TurnOptions & ReadPage): Promise<FoundPage<Suggestion>>
  /** Whether a stored file contains an address, in any column. */
  find(key: string, search: FileSearch, options: TurnOptions): Promise<boolean>
  /** Rewrites a stored file without an address. Returns the number of changed rows. */
  erase(key: string, erasure: FileErasure, options: TurnOptions): Promise<number>
  /** Rewrites a stored file with some of its rows only. */
  select(key: string, selection: RowSelection, options: TurnOptions): Promise<SelectedRows>
  stop(): Promise<void>
}

/** Time limit of one reading, including its wait. Readings take seconds: this limits files that pass all other limits. */
const DEADLINE_MS = 120_000
const RETRY_AFTER_S = 5
/**
 * CPU time of the first reading of a file. The largest file that the other limits allow, a workbook with 5,000,000 cells, takes 17 s. Most
 * files take less than one.
 */
const CPU_MS_MAX = { funded: 60_000, other: 20_000 }
/** The accounts without credits of their own share one thread. */
const SHARED_LANE = 'shared'
/** Maximum number of waiting readings per account. Each waiting upload has its file on disk. */
const WAITING_MAX = 20

const THREADS = {
  filename: new URL('./reader-thread.ts', import.meta.url).href,
  name: 'readFile',
  // Reading occupies a CPU core, and other requests need one too.
  maxThreads: 2,
  minThreads: 0,
  maxQueue: 50,
  // Starting a thread takes longer than reading most files, so idle threads are kept for a while.
  idleTimeout: 30_000,
  // With atomics, an idle thread would block before it has closed the previous file.
  atomics: 'disabled',
  // Nearly all objects are short-lived, so a small young generation keeps the memory use low.
  resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4 },
  // Without the environment: the thread parses untrusted files and needs no secrets.
  env: {},
  recordTiming: false,
} as const

type Found = Exclude<ReadOutcome, { kind: 'refused' }>

type ReaderOptions = {
  storage: FileStorage
  /** Whether credits were bought by or granted to the account after it was opened. */
  isFunded(accountId: string): Promise<boolean>
  deadlineMs?: number
  cpuMsMax?: typeof CPU_MS_MAX
  failures?: FailureBudget
}

export function openUploadReader(options: ReaderOptions): UploadReader {
  const { storage, isFunded, deadlineMs = DEADLINE_MS, cpuMsMax = CPU_MS_MAX, failures = openFailureBudget() } = options
  const threads = new Piscina<TimedTask, ReadOutcome>({ ...THREADS, execArgv: [] })
  const lanes = openTurns()
  const run: Run = async (task, { accountId, signal }) => {
    failures.check(accountId)
    const funded = await isFunded(accountId)
    const read = () =>
      runInThread(threads, task, { accountId, signal, failures, cpuMsMax: cpuMsMax[funded ? 'funded' : 'other'] })
    if (funded) return read()
    if (lanes.waiting(SHARED_LANE) >= THREADS.maxQueue) throw tooBusy()
    return lanes.take(SHARED_LANE, signal, read)
  }
  const takeTurn = openTurnTaking(deadlineMs)
  const runOnKept: RunOnKept = (key, wanted, taskFor) =>
    takeTurn(wanted, (turn) => storage.lend(key, (path) => run(taskFor(path), turn)))
  const readFile = async (wanted: TurnOptions, task: ReadTask) =>
    requireKind(await takeTurn(wanted, (turn) => run(task, turn)), 'file').reading
  return {
    read(path, options) {
      const { emailsMax, cells, headerRow } = options
      return readFile(options, { kind: 'file', path, emailsMax, cells, headerRow })
    },
    convert(path, to, options) {
      const { emailsMax, cells, headerRow, sheet } = options
      return readFile(options, { kind: 'workbook', path, to, emailsMax, cells, headerRow, sheet })
    },
    correct(path, to, options) {
      const { emailsMax, correction } = options
      return readFile(options, { kind: 'correction', path, to, emailsMax, correction })
    },
    ...openKeptReader(runOnKept),
    ...openRewriter({ storage, takeTurn, run }),
    stop: () => threads.destroy(),
  }
}

type Rewriting = {
  storage: FileStorage
  takeTurn<T>(options: TurnOptions, work: (turn: Turn) => Promise<T>): Promise<T>
  run: Run
}

/** The tasks that replace a stored file by a new one. */
function openRewriter({ storage, takeTurn, run }: Rewriting): Pick<UploadReader, 'erase' | 'select'> {
  return {
    erase: (key, erasure, options) =>
      takeTurn(options, async (turn) => {
        let rows = 0
        await storage.rewrite(key, async (path, to) => {
          const outcome = await run({ kind: 'erase', path, to, erasure }, turn)
          rows = requireKind(outcome, 'erased').rows
          return rows > 0
        })
        return rows
      }),
    select: (key, selection, options) =>
      takeTurn(options, async (turn) => {
        const selected: SelectedRows[] = []
        await storage.rewrite(key, async (path, to) => {
          const outcome = await run({ kind: 'select', path, to, selection }, turn)
          selected.push(requireKind(outcome, 'selected').rows)
          return true
        })
        const [rows] = selected
        if (rows === undefined) throw new Error('the rows of an upload were not selected')
        return rows
      }),
  }
}

/** The account that a thread works for, and what ends the work. */
type Turn = { accountId: string; signal: AbortSignal }
type Run = (task: ReadTask, turn: Turn) => Promise<Found>
type RunOnKept = (key: string, options: TurnOptions, taskFor: (path: string) => ReadTask) => Promise<Found>

/** The readings of stored files. */
function openKeptReader(
  run: RunOnKept,
): Pick<UploadReader, 'readKept' | 'readColumn' | 'listNonAddresses' | 'listSuggestions' | 'find'> {
  return {
    async readKept(key, options) {
      const { emailsMax, cells, headerRow } = options
      const outcome = await run(key, options, (path) => ({ kind: 'file', path, emailsMax, cells, headerRow }))
      return requireKind(outcome, 'file').reading
    },
    async readColumn(key, layout, options) {
      const { emailsMax } = options
      const outcome = await run(key, options, (path) => ({ kind: 'column', path, layout, emailsMax }))
      return requireKind(outcome, 'column').reading
    },
    async listNonAddresses(key, layout, options) {
      const page = { skip: options.skip, limit: options.limit }
      const outcome = await run(key, options, (path) => ({ kind: 'non_addresses', path, layout, page }))
      return requireKind(outcome, 'non_addresses').found
    },
    async listSuggestions(key, layout, options) {
      const page = { skip: options.skip, limit: options.limit }
      const outcome = await run(key, options, (path) => ({ kind: 'suggestions', path, layout, page }))
      return requireKind(outcome, 'suggestions').found
    },
    async find(key, search, options) {
      const outcome = await run(key, options, (path) => ({ kind: 'find', path, search }))
      return requireKind(outcome, 'found').isFound
    },
  }
}

/** An abort ends the thread of a running reading, so that no thread works for a client that has disconnected. */
function openTurnTaking(deadlineMs: number) {
  const turns = openTurns()
  return async function takeTurn<T>(options: TurnOptions, work: (turn: Turn) => Promise<T>): Promise<T> {
    const { accountId, signal: gone } = options
    if (turns.waiting(accountId) >= WAITING_MAX) throw tooBusy()
    const deadline = AbortSignal.timeout(deadlineMs)
    const signal = gone ? AbortSignal.any([gone, deadline]) : deadline
    try {
      return await turns.take(accountId, signal, () => work({ accountId, signal }))
    } catch (error) {
      if (gone?.aborted) throw new Problem('request_timeout', 'The client disconnected.')
      throw deadline.aborted && !(error instanceof Problem) ? tooBusy() : error
    }
  }
}

type ThreadOptions = Turn & { failures: FailureBudget; cpuMsMax: number }

async function runInThread(
  threads: Piscina<TimedTask, ReadOutcome>,
  task: ReadTask,
  { accountId, signal, failures, cpuMsMax }: ThreadOptions,
): Promise<Found> {
  if (threads.queueSize >= THREADS.maxQueue) throw tooBusy()
  const clock = createThreadClock()
  // A file that was read before is read again in less time.
  const isFirst = task.kind === 'file' || task.kind === 'workbook'
  const watch = watchCpu(threads, clock, isFirst ? cpuMsMax : Number.POSITIVE_INFINITY)
  let outcome: ReadOutcome | undefined
  try {
    outcome = await threads.run({ task, clock }, { signal: AbortSignal.any([signal, watch.signal]) })
  } catch (error) {
    throw watch.signal.aborted ? tooSlow() : error
  } finally {
    watch.stop()
    if (outcome === undefined || outcome.kind === 'refused') failures.spend(accountId, readThreadMs(clock))
  }
  if (outcome.kind === 'refused') throw new Problem(outcome.code, outcome.detail)
  return outcome
}

function requireKind<Kind extends Found['kind']>(outcome: Found, kind: Kind): Extract<Found, { kind: Kind }> {
  if (outcome.kind !== kind) throw new Error('unexpected message of the upload thread')
  return outcome as Extract<Found, { kind: Kind }>
}

function tooBusy(): Problem {
  return new Problem('overloaded', undefined, { retryAfterS: RETRY_AFTER_S })
}

function tooSlow(): Problem {
  return new Problem('file_too_large', 'The file takes too long to read.')
}
