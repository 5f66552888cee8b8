import { lazyRouteComponent, type RegisteredRouter } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'

const REACHABLE_WITHIN_MS = 5_000
/** Late enough that the scripts of the first page are loaded, also on a slow network. */
const PREFETCH_AFTER_MS = 10_000

/** Imports that wait until the service can be reached again. */
const waiting = new Set<() => void>()
/** The page that could not be opened. */
let failedHref: string | undefined
let router: RegisteredRouter | undefined
const listeners = new Set<() => void>()

/** A page in its own script. While the service cannot be reached, the current page stays with its unsaved input. */
export function lazyPage<T extends Record<string, unknown>, K extends keyof T & string>(
  load: () => Promise<T>,
  name: K,
) {
  return lazyRouteComponent(() => importWhenReachable(load, keepCurrentPage), name)
}

/**
 * Imports a script, again and again until it arrives. Where the service responds and the script still fails, the script belongs to a
 * version that was replaced: the error is passed on, and the router reloads the page.
 */
export async function importWhenReachable<T>(load: () => Promise<T>, onUnreachable = () => {}): Promise<T> {
  for (;;) {
    try {
      return await load()
    } catch (error) {
      if (await isServiceReachable()) throw error
      onUnreachable()
      await new Promise<void>((resolve) => waiting.add(resolve))
    }
  }
}

async function isServiceReachable(): Promise<boolean> {
  if (!navigator.onLine) return false
  try {
    await fetch('/livez', { cache: 'no-store', signal: AbortSignal.timeout(REACHABLE_WITHIN_MS) })
    return true
  } catch {
    return false // no network, or no service
  }
}

/** Ends a navigation to a page whose script did not arrive, and remembers the page for `retryPage`. */
function keepCurrentPage(): void {
  if (router === undefined) return
  const { latestLocation: wanted, state } = router
  const shown = state.resolvedLocation
  // The script may have been a prefetch, or no page has been shown yet.
  if (shown === undefined || wanted.href === shown.href) return
  setFailed(wanted.publicHref)
  router.history.replace(shown.publicHref, shown.state, { ignoreBlocker: true })
}

/** Opens the page that could not be opened once more. */
export function retryPage(): void {
  const href = failedHref
  importAgain()
  if (href !== undefined) router?.history.push(href)
}

function importAgain(): void {
  for (const resolve of waiting) resolve()
  waiting.clear()
}

function setFailed(href: string | undefined): void {
  failedHref = href
  for (const listener of listeners) listener()
}

/** Whether a page could not be opened because the service cannot be reached. */
export function usePageFailed(): boolean {
  return useSyncExternalStore(subscribe, () => failedHref !== undefined)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function watchNavigation(watched: RegisteredRouter): void {
  router = watched
  window.addEventListener('online', () => {
    importAgain()
    setFailed(undefined)
  })
  // Each navigation tries the scripts again that have not arrived.
  router.subscribe('onBeforeNavigate', importAgain)
  router.subscribe('onResolved', ({ toLocation, hrefChanged }) => {
    if (hrefChanged || toLocation.publicHref === failedHref) setFailed(undefined)
  })
}

/** Prefetches the scripts of all pages when idle, so that they open offline. Returns a function that stops it. */
export function prefetchPages(): () => void {
  let stopped = false
  const prefetch = async () => {
    for (const route of Object.values(router?.routesById ?? {})) {
      await new Promise((resolve) => requestIdle(resolve))
      if (stopped) return
      await router?.loadRouteChunk(route)
    }
  }
  const timer = setTimeout(() => void prefetch(), PREFETCH_AFTER_MS)
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}

/** Safari has no requestIdleCallback. */
function requestIdle(callback: (value: unknown) => void): void {
  if ('requestIdleCallback' in window) window.requestIdleCallback(callback)
  else setTimeout(callback, 200)
}
