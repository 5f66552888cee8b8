import type { Hold } from './pace.ts'

/** What somebody was told who asked for leave, and when there is a point in asking again. */
export type Told = { hold: Hold; askAgainAt: number }

/** Where those wait who want a line to a site that has none to give just now. Who came first is called first. */
export type WaitingRoom = {
  /** What those who wait for the site were told last, as long as it holds. */
  told(siteKey: string): Told | undefined
  /** Resolves when it is called, or when the time is over. Whoever is first is called when there is a point in asking again. */
  wait(siteKey: string, told: Told, ms: number): Promise<void>
  /** Calls one: there is something to be had, or to be asked for. */
  call(siteKey: string): void
}

type Site = { waiting: Set<() => void>; told: Told; isOver: boolean; timer: NodeJS.Timeout }

export function openWaitingRoom(): WaitingRoom {
  const sites = new Map<string, Site>()

  function call(siteKey: string): void {
    const [first] = sites.get(siteKey)?.waiting ?? []
    first?.()
  }
  function enter(siteKey: string, told: Told): Site {
    const before = sites.get(siteKey)
    if (before?.told === told) return before
    clearTimeout(before?.timer)
    // A timer counts from the start of the event loop's turn, so it can fire before `askAgainAt`. Its firing alone ends the wait.
    const timer = setTimeout(
      () => {
        site.isOver = true
        call(siteKey)
      },
      Math.max(0, told.askAgainAt - performance.now()),
    )
    const site: Site = { waiting: before?.waiting ?? new Set(), told, isOver: false, timer }
    sites.set(siteKey, site)
    return site
  }
  return {
    told(siteKey) {
      const site = sites.get(siteKey)
      return site && !site.isOver && site.told.askAgainAt > performance.now() ? site.told : undefined
    },
    wait(siteKey, told, ms) {
      const { waiting } = enter(siteKey, told)
      return new Promise((resolve) => {
        const timeout = setTimeout(leave, ms)
        function leave(): void {
          clearTimeout(timeout)
          waiting.delete(leave)
          if (waiting.size === 0) {
            clearTimeout(sites.get(siteKey)?.timer)
            sites.delete(siteKey)
          }
          resolve()
        }
        waiting.add(leave)
      })
    },
    call,
  }
}
