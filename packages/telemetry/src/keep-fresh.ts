import { setTimeout as sleep } from 'node:timers/promises'

/** Shorter than the scrape timeout of Prometheus: one unavailable dependency must not fail the whole scrape. */
const READ_WITHIN_MS = 3_000

/**
 * Caches a reading for `freshForMs`, so that frequent scrapes do not load the database. Concurrent calls share one reading; after a failure
 * the next call reads again.
 */
export function keepFresh<T>(freshForMs: number, read: () => Promise<T>): () => Promise<T> {
  let fetched: { at: number; what: Promise<T> } | undefined
  return () => {
    if (fetched !== undefined && performance.now() - fetched.at < freshForMs) return fetched.what
    const what = inTime(read())
    fetched = { at: performance.now(), what }
    what.catch(() => {
      fetched = undefined
    })
    return what
  }
}

async function inTime<T>(reading: Promise<T>): Promise<T> {
  const done = new AbortController()
  const late = sleep(READ_WITHIN_MS, undefined, { signal: done.signal, ref: false }).then(() => {
    throw new Error('timed out reading metrics')
  })
  try {
    return await Promise.race([reading, late])
  } finally {
    done.abort()
    late.catch(() => {}) // the loser of the race has no listener
    reading.catch(() => {})
  }
}
