/** Work of one account waits for its turn. */
export type Turns = {
  /** Runs the work when no other of the account runs. Rejects with the signal's reason if it aborts before that. */
  take<T>(accountId: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>
  /** How many wait for a turn of the account. */
  waiting(accountId: string): number
}

/** At most one piece of work per account at a time, in the order of arrival, so that one account cannot occupy a shared pool. */
export function openTurns(): Turns {
  /** An account is in here while work of it runs. */
  const queues = new Map<string, (() => void)[]>()

  async function enter(accountId: string, signal: AbortSignal): Promise<void> {
    const queue = queues.get(accountId)
    if (queue === undefined) {
      queues.set(accountId, [])
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const abandon = () => {
      const at = queue.indexOf(resolve)
      if (at === -1) return // its turn has come
      queue.splice(at, 1)
      reject(signal.reason)
    }
    queue.push(resolve)
    signal.addEventListener('abort', abandon, { once: true })
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', abandon)
    }
  }

  function leave(accountId: string): void {
    const next = queues.get(accountId)?.shift()
    if (next === undefined) queues.delete(accountId)
    else next()
  }

  return {
    async take(accountId, signal, work) {
      signal.throwIfAborted()
      await enter(accountId, signal)
      try {
        return await work()
      } finally {
        leave(accountId)
      }
    },
    waiting: (accountId) => queues.get(accountId)?.length ?? 0,
  }
}
