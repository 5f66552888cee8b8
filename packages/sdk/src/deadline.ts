import { ConnectionError, ProbityError, TimeoutError } from './errors.ts'

/** Ends an attempt when its time is over or when the caller aborts. */
export type Deadline = {
  signal: AbortSignal
  /** Stops the clock once the response has begun. From then on only the caller's signal ends it. */
  stopClock(): void
  /** Removes the listener from the caller's signal, which may outlive many attempts. */
  release(): void
  /** Maps a failure of the platform to an error of this library. */
  toError(error: unknown): unknown
}

export function startDeadline(timeoutMs: number, caller: AbortSignal | undefined): Deadline {
  const { controller, release } = linkSignal(caller)
  let isExpired = false
  const clock = setTimeout(() => {
    isExpired = true
    controller.abort()
  }, timeoutMs)
  return {
    signal: controller.signal,
    stopClock: () => clearTimeout(clock),
    release() {
      clearTimeout(clock)
      release()
    },
    toError(error) {
      if (caller?.aborted) return caller.reason
      if (error instanceof ProbityError) return error
      if (isExpired) return new TimeoutError(`The service did not respond within ${timeoutMs} ms.`)
      return new ConnectionError('The connection to the service failed or was lost.', error)
    },
  }
}

/** A controller that aborts together with the caller's signal. AbortSignal.any is missing in browsers of 2023. */
export function linkSignal(caller: AbortSignal | undefined): { controller: AbortController; release(): void } {
  const controller = new AbortController()
  const abort = () => controller.abort(caller?.reason)
  if (caller?.aborted) abort()
  else caller?.addEventListener('abort', abort, { once: true })
  return { controller, release: () => caller?.removeEventListener('abort', abort) }
}

/** Waits, and rejects with the signal's reason when the caller aborts. */
export function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
