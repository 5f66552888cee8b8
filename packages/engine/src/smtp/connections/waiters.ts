import type { Throttle } from './rate-limiter.ts'

/** The last response of the rate limiter, and when the next lease request makes sense. */
export type ThrottleInfo = { throttle: Throttle; retryAt: number }

/** First-in, first-out queue of probes that wait for a connection to a site. */
export type ConnectionWaiters = {
  /** The throttle that applies to all waiters of the site; undefined when it has ended. */
  findThrottle(siteKey: string): ThrottleInfo | undefined
  /** Resolves when the waiter is woken or the time is over. The first waiter is woken when the throttle ends. */
  wait(siteKey: string, info: ThrottleInfo, ms: number): Promise<void>
  /** Wakes the first waiter: a connection is idle, or a lease may be requested. */
  wakeNext(siteKey: string): void
}

type Site = { waiting: Set<() => void>; info: ThrottleInfo; isOver: boolean; timer: NodeJS.Timeout }

export function createConnectionWaiters(): ConnectionWaiters {
  const sites = new Map<string, Site>()

  function wakeNext(siteKey: string): void {
    const [first] = sites.get(siteKey)?.waiting ?? []
    first?.()
  }
  function enter(siteKey: string, info: ThrottleInfo): Site {
    const before = sites.get(siteKey)
    if (before?.info === info) return before
    clearTimeout(before?.timer)
    // A timer counts from the start of the event loop's turn, so it can fire before `retryAt`. The wait ends when the timer fires.
    const timer = setTimeout(
      () => {
        site.isOver = true
        wakeNext(siteKey)
      },
      Math.max(0, info.retryAt - performance.now()),
    )
    const site: Site = { waiting: before?.waiting ?? new Set(), info, isOver: false, timer }
    sites.set(siteKey, site)
    return site
  }
  return {
    findThrottle(siteKey) {
      const site = sites.get(siteKey)
      return site && !site.isOver && site.info.retryAt > performance.now() ? site.info : undefined
    },
    wait(siteKey, info, ms) {
      const { waiting } = enter(siteKey, info)
      return new Promise((resolve) => {
        const timeout = setTimeout(wake, ms)
        function wake(): void {
          clearTimeout(timeout)
          waiting.delete(wake)
          if (waiting.size === 0) {
            clearTimeout(sites.get(siteKey)?.timer)
            sites.delete(siteKey)
          }
          resolve()
        }
        waiting.add(wake)
      })
    },
    wakeNext,
  }
}
