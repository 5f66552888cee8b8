import { setTimeout as sleep } from 'node:timers/promises'

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
