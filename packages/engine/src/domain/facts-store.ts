import { createLruCache } from '@probity/concurrency/lru-cache'

/** Stores facts between lookups, as text. Workers use a store that all hosts share. */
export type FactsStore = {
  get(domain: string): Promise<string | undefined>
  set(domain: string, text: string, ttlMs: number): Promise<void>
}

type MemoryOptions = { entriesMax?: number; now?: () => number }

/** About a kilobyte each, so some ten megabytes when full. */
const ENTRIES_MAX = 10_000

/** Facts of this process only. */
export function openMemoryStore({ entriesMax = ENTRIES_MAX, now = Date.now }: MemoryOptions = {}): FactsStore {
  const entries = createLruCache<string, { text: string; until: number }>(entriesMax)
  return {
    async get(domain) {
      const entry = entries.get(domain)
      if (entry === undefined || entry.until > now()) return entry?.text
      entries.delete(domain)
      return undefined
    },
    async set(domain, text, ttlMs) {
      entries.set(domain, { text, until: now() + ttlMs })
    },
  }
}
