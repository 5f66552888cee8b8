/** Where facts are kept between look-ups, as text. A worker hands in one that all hosts share. */
export type FactsStore = {
  get(domain: string): Promise<string | undefined>
  set(domain: string, text: string, ttlMs: number): Promise<void>
}

type MemoryOptions = { entriesMax?: number; now?: () => number }

/** About a kilobyte each, so some ten megabytes when full. */
const ENTRIES_MAX = 10_000

/** Facts kept in this process alone. When it is full, what was not asked for the longest time goes first. */
export function openMemoryStore({ entriesMax = ENTRIES_MAX, now = Date.now }: MemoryOptions = {}): FactsStore {
  const entries = new Map<string, { text: string; until: number }>() // a Map keeps the order of insertion
  return {
    async get(domain) {
      const entry = entries.get(domain)
      if (entry === undefined) return undefined
      entries.delete(domain)
      if (entry.until <= now()) return undefined
      entries.set(domain, entry)
      return entry.text
    },
    async set(domain, text, ttlMs) {
      entries.delete(domain)
      entries.set(domain, { text, until: now() + ttlMs })
      const [oldest] = entries.keys()
      if (entries.size > entriesMax && oldest !== undefined) entries.delete(oldest)
    },
  }
}
