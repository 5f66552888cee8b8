/** Maps items with bounded concurrency and yields the results in the order of the items. The first failure ends it. */
export async function* mapInOrder<T, R>(
  items: readonly T[],
  concurrency: number,
  map: (item: T) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
  const running: Promise<R>[] = []
  let next = 0
  const startNext = () => {
    const item = items[next++]
    if (item === undefined) return
    const result = map(item)
    // It may fail while an earlier one is awaited; the failure is thrown in its turn.
    result.catch(() => undefined)
    running.push(result)
  }
  while (next < Math.min(concurrency, items.length)) startNext()
  for (let result = running.shift(); result !== undefined; result = running.shift()) {
    yield await result
    startNext()
  }
}
