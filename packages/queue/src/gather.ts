import { setTimeout as sleep } from 'node:timers/promises'

/** Does the same kind of work for many items, in groups. */
export type Gatherer<Item, Result> = (name: string, item: Item) => Promise<Result>

type Waiting<Item, Result> = { item: Item; resolve(result: Result): void; reject(error: unknown): void }

type GatherOptions = {
  /** How long the first item waits for others. 0: it goes alone, at once. A group that is full does not wait. */
  lingerMs?: number
}

/**
 * While one group of a name is being worked on, further items of that name gather and go with the next, so that groups grow with
 * the load. `work` returns one result for each item, in their order; when it throws, all of the group fail.
 */
export function openGatherer<Item, Result>(
  groupMax: number,
  work: (name: string, items: Item[]) => Promise<Result[]>,
  { lingerMs = 0 }: GatherOptions = {},
): Gatherer<Item, Result> {
  const lines = new Map<string, Waiting<Item, Result>[]>()
  const busy = new Set<string>()
  /** Ends the wait of a name whose group is full. */
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
