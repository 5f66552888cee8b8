/** Where those wait who want a line to a site that has none to give just now. Who came first is called first. */
export type WaitingRoom = {
  /** Resolves when it is called, or when the time is over. */
  wait(siteKey: string, ms: number): Promise<void>
  /** Calls one: there is something to be had. */
  call(siteKey: string): void
}

export function openWaitingRoom(): WaitingRoom {
  const waiting = new Map<string, Set<() => void>>()
  return {
    wait(siteKey, ms) {
      const others = waiting.get(siteKey) ?? new Set()
      waiting.set(siteKey, others)
      return new Promise((resolve) => {
        const timer = setTimeout(leave, ms)
        function leave(): void {
          clearTimeout(timer)
          others.delete(leave)
          if (others.size === 0) waiting.delete(siteKey)
          resolve()
        }
        others.add(leave)
      })
    },
    call(siteKey) {
      for (const leave of waiting.get(siteKey) ?? []) return leave()
    },
  }
}
