import { setTimeout as sleep } from 'node:timers/promises'

/** Runs at most a fixed number of functions at the same time. Further calls wait in order of arrival. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>

export function createSemaphore(concurrency: number): Semaphore {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running < concurrency) running += 1
    else await new Promise<void>((start) => waiting.push(start))
    try {
      return await work()
    } finally {
      // The next waiting call takes over the slot, so the number of running calls does not change.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

/** Processes concurrent calls with the same name in batches. */
export type Batcher<Item, Result> = (name: string, item: Item) => Promise<Result>

type Waiting<Item, Result> = { item: Item; resolve(result: Result): void; reject(error: unknown): void }

type BatcherOptions = {
  /** How long the first item waits for others. 0: it is processed immediately. A full batch does not wait. */
  lingerMs?: number
}

/**
 * While a batch of a name is processed, further items of that name are collected for the next batch, so that batches grow with
 * the load. `work` returns one result per item, in order; if it throws, all items of the batch fail.
 */
export function createBatcher<Item, Result>(
  batchMax: number,
  work: (name: string, items: Item[]) => Promise<Result[]>,
  { lingerMs = 0 }: BatcherOptions = {},
): Batcher<Item, Result> {
  const queues = new Map<string, Waiting<Item, Result>[]>()
  const busy = new Set<string>()
  /** End the wait of a batch that is full. */
  const full = new Map<string, () => void>()

  async function processAll(name: string): Promise<void> {
    busy.add(name)
    while (queues.has(name)) {
      if (lingerMs > 0) await linger(name)
      await processBatch(name, next(name))
    }
    busy.delete(name)
  }

  async function processBatch(name: string, batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await work(
        name,
        batch.map(({ item }) => item),
      )
      for (const [n, { resolve }] of batch.entries()) resolve(results[n] as Result)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  function next(name: string): Waiting<Item, Result>[] {
    const queue = queues.get(name) ?? []
    const batch = queue.splice(0, batchMax)
    if (queue.length === 0) queues.delete(name)
    return batch
  }

  async function linger(name: string): Promise<void> {
    const queue = queues.get(name)
    if (queue === undefined || queue.length >= batchMax) return
    const ending = new AbortController()
    full.set(name, () => ending.abort())
    await sleep(lingerMs, undefined, { signal: ending.signal }).catch(() => {})
    full.delete(name)
  }

  return (name, item) =>
    new Promise((resolve, reject) => {
      const queue = queues.get(name) ?? []
      if (queue.push({ item, resolve, reject }) === 1) queues.set(name, queue)
      if (queue.length === batchMax) full.get(name)?.()
      if (!busy.has(name)) void processAll(name)
    })
}

export type Interval = {
  /** Starts the next run now instead of at its scheduled time. `isDue` is not called. */
  runNow(): void
  /** Waits for the run in progress. */
  stop(): Promise<void>
}

type IntervalOptions = {
  /** Receives the error of a failed run; the next run takes place as scheduled. Not needed if `run` handles its errors itself. */
  onError?(error: unknown): void
  /** Called before each scheduled run, which is skipped if it resolves to false. */
  isDue?(): Promise<boolean>
  /** The first run starts after one interval instead of immediately. */
  delayFirst?: boolean
  /** The timer does not keep the process alive. */
  unref?: boolean
  /** Runs once more when it is stopped. */
  runOnStop?: boolean
}

/** Runs a function periodically, one run at a time. Any number of runs that are missed during a long run are made up by one. */
export function startInterval(everyMs: number, run: () => Promise<void>, options: IntervalOptions): Interval {
  const { onError, isDue, delayFirst = false, unref = false, runOnStop = false } = options
  let isStopped = false
  let running: Promise<void> | undefined
  /** Set if the timer or a call of `runNow` came during a run. */
  let missed: { isForced: boolean } | undefined

  async function runOnce(isForced: boolean): Promise<void> {
    try {
      if (isForced || !isDue || (await isDue())) await run()
    } catch (error) {
      if (onError === undefined) throw error
      onError(error)
    }
    running = undefined
    if (missed) start(missed.isForced)
  }

  function start(isForced: boolean): void {
    if (isStopped) return
    if (running) {
      missed = { isForced: isForced || missed?.isForced === true }
      return
    }
    missed = undefined
    running = runOnce(isForced)
  }

  const timer = setInterval(() => start(false), everyMs)
  if (unref) timer.unref()
  if (!delayFirst) start(false)
  return {
    runNow: () => start(true),
    async stop() {
      isStopped = true
      clearInterval(timer)
      await running
      if (runOnStop) await runOnce(true)
    },
  }
}
