import { createLruCache } from '@probity/concurrency/lru-cache'
import type { Piscina } from 'piscina'
import { Problem } from '../../http/problem.ts'

/** Thread time that failed readings of an account may take in the window: a twentieth of one thread. The rest of it refills evenly. */
const FAILED_MS_MAX = 30_000
const WINDOW_MS = 600_000
const ACCOUNTS_MAX = 10_000

/** The thread time of readings that ended without a result, per account and process. They count toward no other limit of an account. */
export type FailureBudget = {
  /** Throws a Problem if the account has used its budget. */
  check(accountId: string): void
  spend(accountId: string, threadMs: number): void
}

export function openFailureBudget(now: () => number = () => performance.now()): FailureBudget {
  /** When the budget of an account is whole again. */
  const wholeAt = createLruCache<string, number>(ACCOUNTS_MAX)
  return {
    check(accountId) {
      const waitMs = (wholeAt.get(accountId) ?? 0) - WINDOW_MS - now()
      if (waitMs <= 0) return
      const detail = 'Reading files of this account that could not be used took too much time.'
      throw new Problem('rate_limited', detail, { retryAfterS: Math.ceil(waitMs / 1_000) })
    },
    spend(accountId, threadMs) {
      const before = Math.max(now(), wholeAt.get(accountId) ?? 0)
      wholeAt.set(accountId, before + threadMs * (WINDOW_MS / FAILED_MS_MAX))
    },
  }
}

/** Written by the thread of a reading into shared memory, so that it can be read while the thread is busy. Times are in milliseconds. */
export type ThreadClock = Float64Array<SharedArrayBuffer>

const [THREAD_ID, CPU_BEFORE, BEGAN_AT, USED] = [0, 1, 2, 3] as const
const FIELDS = 4

export function createThreadClock(): ThreadClock {
  return new Float64Array(new SharedArrayBuffer(FIELDS * Float64Array.BYTES_PER_ELEMENT))
}

/** Runs in the thread. */
export async function runByClock<T>(clock: ThreadClock, threadId: number, work: () => Promise<T>): Promise<T> {
  const cpuMs = () => inMs(process.threadCpuUsage())
  clock[CPU_BEFORE] = cpuMs()
  clock[BEGAN_AT] = Date.now()
  clock[THREAD_ID] = threadId
  try {
    return await work()
  } finally {
    clock[USED] = cpuMs() - clock[CPU_BEFORE]
  }
}

/** CPU time of a reading. For one that was ended, the time since it began: a thread that ends reports nothing. */
export function readThreadMs(clock: ThreadClock): number {
  if (clock[THREAD_ID] === 0) return 0 // it never began
  return clock[USED] || Date.now() - (clock[BEGAN_AT] ?? 0)
}

function inMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000
}

const WATCH_EVERY_MS = 250

/** Fires when a reading has used this much CPU time. The wait for a processor, which other work keeps busy, does not count. */
export function watchCpu(threads: Piscina, clock: ThreadClock, cpuMsMax: number) {
  const over = new AbortController()
  const timer = setInterval(() => {
    const thread = threads.threads.find(({ threadId }) => threadId === clock[THREAD_ID])
    thread?.cpuUsage().then(
      (usage) => inMs(usage) - (clock[CPU_BEFORE] ?? 0) > cpuMsMax && over.abort(),
      () => undefined, // the thread has ended
    )
  }, WATCH_EVERY_MS).unref()
  return { signal: over.signal, stop: () => clearInterval(timer) }
}
