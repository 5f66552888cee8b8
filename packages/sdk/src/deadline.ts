import { ProbityConnectionError, ProbityError, ProbityTimeoutError } from './errors.ts'

/** Ends a try: when its time is up, or when the caller no longer wants it. */
export type Deadline = {
  signal: AbortSignal
  /** The answer has begun: from here on only the caller ends it. */
  stopClock(): void
  /** Lets go of the caller's signal, which may outlive many tries. */
  release(): void
  /** What a failure under this deadline was, in the words of this library. */
  explain(error: unknown): unknown
}

export function startDeadline(timeoutMs: number, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController()
  let isLate = false
  const abort = () => controller.abort(caller?.reason)
  const clock = setTimeout(() => {
    isLate = true
    controller.abort()
  }, timeoutMs)
  if (caller?.aborted) abort()
  else caller?.addEventListener('abort', abort, { once: true })
  return {
    signal: controller.signal,
    stopClock: () => clearTimeout(clock),
    release() {
      clearTimeout(clock)
      caller?.removeEventListener('abort', abort)
    },
    explain(error) {
      if (caller?.aborted) return caller.reason
      if (error instanceof ProbityError) return error
      if (isLate) return new ProbityTimeoutError(`The service did not answer within ${timeoutMs} ms.`)
      return new ProbityConnectionError('The connection to the service failed or broke off.', error)
    },
  }
}

/** Waits, unless the caller no longer wants to. */
export function pause(ms: number, caller: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (caller?.aborted) return reject(caller.reason)
    const leave = () => {
      clearTimeout(timer)
      reject(caller?.reason)
    }
    const timer = setTimeout(() => {
      caller?.removeEventListener('abort', leave)
      resolve()
    }, ms)
    caller?.addEventListener('abort', leave, { once: true })
  })
}
