/** Does the same kind of work for many, in groups. */
export type Gatherer<Item, Result> = (name: string, item: Item) => Promise<Result>

type Waiting<Item, Result> = { item: Item; resolve(result: Result): void; reject(error: unknown): void }

/**
 * While one group of a name is being worked on, further items of that name gather and go with the next. Nobody waits for a
 * group to fill, and the busier it gets, the larger the groups. `work` returns one result for each item, in their order; when
 * it throws, all of the group fail.
 */
export function openGatherer<Item, Result>(
  groupMax: number,
  work: (name: string, items: Item[]) => Promise<Result[]>,
): Gatherer<Item, Result> {
  const lines = new Map<string, Waiting<Item, Result>[]>()
  const busy = new Set<string>()

  async function serve(name: string): Promise<void> {
    busy.add(name)
    for (let group = next(name); group.length > 0; group = next(name)) {
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
    busy.delete(name)
  }

  function next(name: string): Waiting<Item, Result>[] {
    const line = lines.get(name) ?? []
    const group = line.splice(0, groupMax)
    if (line.length === 0) lines.delete(name)
    return group
  }

  return (name, item) =>
    new Promise((resolve, reject) => {
      const line = lines.get(name)
      if (line) line.push({ item, resolve, reject })
      else lines.set(name, [{ item, resolve, reject }])
      if (!busy.has(name)) void serve(name)
    })
}
