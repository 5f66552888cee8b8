import type { Deadline } from './deadline.ts'
import { ProbityConnectionError, ProbityError, ProbityTimeoutError } from './errors.ts'

/**
 * The body of an answer as it comes. It may take as long as its reader likes, but not be silent for longer than `silenceMs` while
 * the reader waits. One that breaks off ends in an error and not as if it were whole.
 */
export function streamBody(response: Response, deadline: Deadline, silenceMs: number): ReadableStream<Uint8Array> {
  deadline.stopClock()
  const reader = response.body?.getReader()
  // An empty body is no stream everywhere, and some platforms have none at all.
  const readWhole = async () => ({ done: true, value: new Uint8Array(await response.arrayBuffer()) })
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      try {
        const { done, value } = await orSilence(reader?.read() ?? readWhole(), silenceMs)
        if (value !== undefined) controller.enqueue(value)
        if (!done) return
        deadline.release()
        controller.close()
      } catch (error) {
        deadline.release()
        controller.error(explain(deadline.explain(error)))
        await reader?.cancel().catch(() => undefined) // it has failed already, and why is known
      }
    },
    async cancel(reason: unknown) {
      deadline.release()
      await reader?.cancel(reason)
    },
  }
  // Nothing is fetched ahead of the reader.
  return new ReadableStream(source, { highWaterMark: 0 })
}

function explain(error: unknown): unknown {
  if (!(error instanceof ProbityConnectionError)) return error
  return new ProbityConnectionError('The answer broke off before its end: what has come is not the whole.', error.cause)
}

async function orSilence<T>(read: Promise<T>, silenceMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ProbityTimeoutError(`Nothing more came for ${silenceMs} ms.`)), silenceMs)
  })
  try {
    return await Promise.race([read, silence])
  } finally {
    clearTimeout(timer)
  }
}

const LINE_UNITS_MAX = 8 * 1024 * 1024

/** The lines of a text that comes in pieces. LF and CR LF end a line; the last one need not be ended. */
export async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
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
      if (rest.length > LINE_UNITS_MAX) throw new ProbityError('The answer has a line that does not end.')
    }
    if (rest !== '') yield rest
  } finally {
    // Whoever stops reading ends the request.
    await reader.cancel().catch(() => undefined) // a stream that failed has said so to the reader
  }
}
