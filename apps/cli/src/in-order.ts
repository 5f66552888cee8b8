/** Works on several at once and gives the answers in the order of the questions. The first failure ends it. */
export async function* inOrder<T, R>(
  items: readonly T[],
  atOnceMax: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
  const running: Promise<R>[] = []
  let next = 0
  const startNext = () => {
    const item = items[next++]
    if (item === undefined) return
    const answer = work(item)
    // It may fail while an earlier one is waited for; who comes to it is told.
    answer.catch(() => undefined)
    running.push(answer)
  }
  while (next < Math.min(atOnceMax, items.length)) startNext()
  for (let answer = running.shift(); answer !== undefined; answer = running.shift()) {
    yield await answer
    startNext()
  }
}
