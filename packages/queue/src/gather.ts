import { setTimeout as sleep } from 'node:timers/promises'

/** Micro-batches concurrent calls by name. */
export type Gatherer<Item, Result> = (name: string, item: Item) => Promise<Result>

type Waiting<Item, Result> = { item: Item; resolve(result: Result): void; reject(error: unknown): void }

type GatherOptions = {
  /** How long the first item waits for others. 0: it is processed immediately. A full group does not wait. */
  lingerMs?: number
}

/**
 * While a group of a name is processed, further items of that name are collected for the next group, so that groups grow with
 * the load. `work` returns one result per item, in order; if it throws, all items of the group fail.
 */
export function createBatcher<Item, Result>(
  groupMax: number,
  work: (name: string, items: Item[]) => Promise<Result[]>,
  { lingerMs = 0 }: GatherOptions = {},
): Gatherer<Item, Result> {
  const lines = new Map<string, Waiting<Item, Result>[]>()
  const busy = new Set<string>()
  /** Ends the wait of a full group. */
  const full = new Map<string, () => void>()

  async function serve(name: string): Promise<void> {
    busy.add(name)
    while (lines.has(name)) {
      if (lingerMs > 0) await linger(name)
      await serveGroup(name, next(name))
    }
    busy.delete(name)
  }

  async function serveGroup(name: string, group: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await work(
        name,
        group.map(({ item }) => item),
      )
      for (const [n, { resolve }] of group.entries()) resolve(results[n] as Result)
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  function next(name: string): Waiting<Item, Result>[] {
    const line = lines.get(name) ?? []
    const group = line.splice(0, groupMax)
    if (line.length === 0) lines.delete(name)
    return group
  }

  async function linger(name: string): Promise<void> {
    const line = lines.get(name)
    if (line === undefined || line.length >= groupMax) return
    const ending = new AbortController()
    full.set(name, () => ending.abort())
    await sleep(lingerMs, undefined, { signal: ending.signal }).catch(() => {})
    full.delete(name)
  }

  return (name, item) =>
    new Promise((resolve, reject) => {
      const line = lines.get(name) ?? []
      if (line.push({ item, resolve, reject }) === 1) lines.set(name, line)
      if (line.length === groupMax) full.get(name)?.()
      if (!busy.has(name)) void serve(name)
    })
}
