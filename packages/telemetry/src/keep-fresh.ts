import { setTimeout as sleep } from 'node:timers/promises'

/** Shorter than Prometheus waits for a scrape: one part that does not answer must not take the other figures with it. */
const READ_WITHIN_MS = 3_000

/**
 * Reads something at most once in so long, however many ask, so that nobody keeps a database busy by scraping. Those who ask while it is being
 * read wait for the same answer; what failed is read again by the next one.
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
    throw new Error('figures were not read in time')
  })
  try {
    return await Promise.race([reading, late])
  } finally {
    done.abort()
    late.catch(() => {}) // whichever came second has no listener
    reading.catch(() => {})
  }
}
