/**
 * Keeps something under each name that was used lately. For names that come from strangers, of which there may be any number:
 * when it is full, a tenth goes, what was not used for the longest time first.
 */
export function createLruCache<Value>(namesMax: number, make: () => Value): (name: string) => Value {
  const entries = new Map<string, Value>() // a Map keeps the order of insertion
  return (name) => {
    const value = entries.get(name) ?? make()
    entries.delete(name)
    entries.set(name, value)
    if (entries.size > namesMax) dropFirst(entries, Math.ceil(namesMax / 10))
    return value
  }
}

// Many at once, since a Map that loses its first entry one by one takes ever longer to find the next.
function dropFirst(entries: Map<string, unknown>, count: number): void {
  for (const name of [...entries.keys()].slice(0, count)) entries.delete(name)
}
