/** How long a request waits for a slot of its account. */
const SLOT_WAIT_MS = 2_000
/** Requests that wait at a time: a client over its limit must not fill the process with them. */
const WAITING_PER_ACCOUNT_MAX = 10
const WAITING_MAX = 100
/** Slots that other processes release are noticed by trying. Only the first request of an account tries. */
const TRY_EVERY_MS = 100

export type SlotQueue = {
  /**
   * Calls `tryTake` until it returns a value, in order of arrival. Undefined after the longest wait, when `signal` is aborted, or if too many
   * requests wait already.
   */
  wait<T>(accountId: string, signal: AbortSignal, tryTake: () => Promise<T | undefined>): Promise<T | undefined>
  /** Lets the first waiting request of an account try at once. */
  wake(accountId: string): void
}

type Waiter = { wake(): void }

export function createSlotQueue(): SlotQueue {
  const queues = new Map<string, Waiter[]>()
  let waiting = 0

  function leave(accountId: string, queue: Waiter[], waiter: Waiter): void {
    waiting--
    queue.splice(queue.indexOf(waiter), 1)
    if (queue.length === 0) queues.delete(accountId)
    else queue[0]?.wake()
  }

  return {
    async wait(accountId, signal, tryTake) {
      const queue = queues.get(accountId) ?? []
      if (queue.length >= WAITING_PER_ACCOUNT_MAX || waiting >= WAITING_MAX) return undefined
      const waiter: Waiter = { wake: () => {} }
      queues.set(accountId, queue)
      queue.push(waiter)
      waiting++
      const deadline = performance.now() + SLOT_WAIT_MS
      try {
        for (let leftMs = SLOT_WAIT_MS; leftMs > 0 && !signal.aborted; leftMs = deadline - performance.now()) {
          await pause(waiter, queue[0] === waiter ? Math.min(TRY_EVERY_MS, leftMs) : leftMs, signal)
          const taken = queue[0] === waiter && !signal.aborted ? await tryTake() : undefined
          if (taken !== undefined) return taken
        }
        return undefined
      } finally {
        leave(accountId, queue, waiter)
      }
    },
    wake: (accountId) => queues.get(accountId)?.[0]?.wake(),
  }
}

/** Until the waiter is woken, the time is over or the signal is aborted. */
function pause(waiter: Waiter, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
    waiter.wake = end
  })
}
