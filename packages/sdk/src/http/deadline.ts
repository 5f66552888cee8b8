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

/**
 * The body of a response as a stream. It may take as long as its reader needs, but fails if no data arrives for `idleTimeoutMs`
 * while the reader waits. A body that is cut off ends in an error, never as if it were complete.
 */
export function streamBody(response: Response, deadline: Deadline, idleTimeoutMs: number): ReadableStream<Uint8Array> {
  deadline.stopClock()
  const reader = response.body?.getReader()
  // An empty body has no stream on some platforms, and others do not support streams.
  const readAll = async () => ({ done: true, value: new Uint8Array(await response.arrayBuffer()) })
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      try {
        const { done, value } = await withIdleTimeout(reader?.read() ?? readAll(), idleTimeoutMs)
        if (value !== undefined) controller.enqueue(value)
        if (!done) return
        deadline.release()
        controller.close()
      } catch (error) {
        deadline.release()
        controller.error(toBodyError(deadline.toError(error)))
        await reader?.cancel().catch(() => undefined) // the reader has failed, and the reason is known
      }
    },
    async cancel(reason: unknown) {
      deadline.release()
      await reader?.cancel(reason)
    },
  }
  // Data is fetched only when the reader asks for it.
  return new ReadableStream(source, { highWaterMark: 0 })
}

function toBodyError(error: unknown): unknown {
  if (!(error instanceof ConnectionError) || error instanceof TimeoutError) return error
  return new ConnectionError('The response was cut off: the data received is incomplete.', error.cause)
}

async function withIdleTimeout<T>(read: Promise<T>, idleTimeoutMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(`No data arrived for ${idleTimeoutMs} ms.`)), idleTimeoutMs)
  })
  try {
    return await Promise.race([read, expired])
  } finally {
    clearTimeout(timer)
  }
}

/** A longer line is not one of the service. */
const LINE_LENGTH_MAX = 8 * 1024 * 1024

/** The lines of a text stream. LF and CR LF end a line; the last one may be unterminated. */
export async function* readTextLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    while (true) {
      const { done, value } = await reader.read()
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true })
      const lines = rest.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line
      if (done) break
      if (rest.length > LINE_LENGTH_MAX) throw new ProbityError('The response contains a line without an end.')
    }
    if (rest !== '') yield rest
  } finally {
    // Ends the request if the consumer stops reading.
    await reader.cancel().catch(() => undefined) // a stream that failed has reported its error to the reader
  }
}
