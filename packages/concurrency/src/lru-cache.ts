/** Keeps a bounded number of values. When it is full, the tenth that was not used for the longest time is removed. */
export type LruCache<Key, Value> = {
  /** Finds a value and marks it as used. */
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
  delete(key: Key): void
  clear(): void
  /** Least recently used first. Does not mark them as used. */
  entries(): Iterable<[Key, Value]>
}

export function createLruCache<Key, Value>(entriesMax: number): LruCache<Key, Value> {
  const entries = new Map<Key, Value>() // iterates in insertion order

  function set(key: Key, value: Value): void {
    entries.delete(key)
    entries.set(key, value)
    if (entries.size > entriesMax) removeFirst(entries, Math.ceil(entriesMax / 10))
  }

  return {
    get(key) {
      const value = entries.get(key)
      if (value !== undefined) set(key, value)
      return value
    },
    set,
    delete: (key) => void entries.delete(key),
    clear: () => entries.clear(),
    entries: () => entries.entries(),
  }
}

// Many at once: an iterator over a Map steps over all entries that were deleted at its start.
function removeFirst<Key>(entries: Map<Key, unknown>, count: number): void {
  for (const key of [...entries.keys()].slice(0, count)) entries.delete(key)
}

/** Returns the value of a name from an LRU cache; creates and keeps it if there is none. */
export function createLruLookup<Value>(entriesMax: number, create: () => Value): (name: string) => Value {
  const cache = createLruCache<string, Value>(entriesMax)
  return (name) => {
    const known = cache.get(name)
    if (known !== undefined) return known
    const value = create()
    cache.set(name, value)
    return value
  }
}
