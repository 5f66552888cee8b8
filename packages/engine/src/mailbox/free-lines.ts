import type { Line, Site } from './line.ts'

/** Lines that nobody uses just now, by the site they lead to. */
export type FreeLines = {
  /** Keeps a line for a while; what nobody wanted until then is handed to `expire`. */
  put(line: Line, forMs: number, expire: (line: Line) => void): void
  /** A line to one of the site's hosts. */
  take(site: Site, except: Set<string>): Line | undefined
  /** Any line that counts against the limits of this name, a site's or a destination's: the one that has waited longest. */
  takeOldest(name: string): Line | undefined
  takeAll(): Line[]
}

type Entry = { line: Line; timer: NodeJS.Timeout }

export function openFreeLines(): FreeLines {
  const free = new Map<string, Entry[]>()

  function takeEntry(siteKey: string, isWanted: (entry: Entry) => boolean): Line | undefined {
    const entries = free.get(siteKey) ?? []
    const at = entries.findIndex(isWanted)
    const [entry] = at === -1 ? [] : entries.splice(at, 1)
    if (entries.length === 0) free.delete(siteKey)
    clearTimeout(entry?.timer)
    return entry?.line
  }

  return {
    put(line, forMs, expire) {
      const timer = setTimeout(() => {
        takeEntry(line.site.key, (entry) => entry.line === line)
        expire(line)
      }, forMs)
      timer.unref()
      free.set(line.site.key, [...(free.get(line.site.key) ?? []), { line, timer }])
    },
    take(site, except) {
      const names = new Set(site.hosts.map(({ name }) => name))
      return takeEntry(site.key, ({ line }) => names.has(line.host) && !except.has(line.host))
    },
    takeOldest(name) {
      const isThere = ({ line }: Entry) => line.destination === name
      const [site = name] = [...free].find(([, entries]) => entries.some(isThere)) ?? []
      return takeEntry(name, () => true) ?? takeEntry(site, isThere)
    },
    takeAll() {
      const entries = [...free.values()].flat()
      free.clear()
      for (const { timer } of entries) clearTimeout(timer)
      return entries.map(({ line }) => line)
    },
  }
}
