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
