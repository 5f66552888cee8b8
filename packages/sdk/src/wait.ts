import type { Call } from './call.ts'
import type { CallOptions, Connection } from './connection.ts'
import { pause } from './deadline.ts'
import { ProbityProblem, ProbityTimeoutError } from './errors.ts'
import { type EventOptions, followList } from './events.ts'
import type { BulkJob } from './generated/wire.ts'
import { readTimeout } from './settings.ts'

export type WaitOptions = Omit<EventOptions, 'timeoutMs'> & {
  /** How long to wait for the end, in milliseconds; a day if left out. */
  timeoutMs?: number | undefined
  /** Called whenever something has changed, and at the end. */
  onProgress?: ((job: BulkJob) => void) | undefined
}

const DAY_MS = 24 * 60 * 60 * 1_000
/** For those who have as many streams open as an account may have. */
const LOOK_EVERY_MS = 5_000

type Ways = { connection: Connection; get: (id: string, options: CallOptions) => Call<BulkJob> }

/** Waits for the end of a list by its events; where no stream is to be had, by looking now and then. */
export async function waitForList(ways: Ways, id: string, options: WaitOptions): Promise<BulkJob> {
  const { timeoutMs = DAY_MS, onProgress, signal, ...rest } = options
  const time = new AbortController()
  const late = new ProbityTimeoutError('The list has not ended in the time given. It is worked on further: wait again.')
  const clock = setTimeout(() => time.abort(late), readTimeout(timeoutMs))
  const leave = () => time.abort(signal?.reason)
  if (signal?.aborted) leave()
  else signal?.addEventListener('abort', leave, { once: true })
  try {
    for await (const job of follow(ways, id, { ...rest, signal: time.signal })) {
      onProgress?.(job)
      if (job.finished_at !== null) return job
    }
    return await ways.get(id, { signal: time.signal })
  } finally {
    clearTimeout(clock)
    signal?.removeEventListener('abort', leave)
  }
}

async function* follow({ connection, get }: Ways, id: string, options: EventOptions & { signal: AbortSignal }) {
  try {
    for await (const { job } of followList(connection, id, options)) yield job
  } catch (error) {
    if (!(error instanceof ProbityProblem && error.code === 'too_many_streams')) throw error
    // The caller's time ends this.
    while (true) {
      yield await get(id, { signal: options.signal })
      await pause(LOOK_EVERY_MS, options.signal)
    }
  }
}
