import { checkTimeout } from './client-options.ts'
import { delay, linkSignal } from './deadline.ts'
import { ProbityApiError, TimeoutError } from './errors.ts'
import type { BulkJob } from './generated/wire.ts'
import { followStream, parseEventData, type StreamOptions } from './server-sent-events.ts'
import type { RequestOptions, Transport } from './transport.ts'

/** State of a job. The last event has the type `end`. */
export type JobEvent = { type: 'progress' | 'end'; id: string; job: BulkJob }

export type WaitOptions = Omit<StreamOptions, 'timeoutMs'> & {
  /** Maximum time to wait for the end of the job in milliseconds. Default: 24 hours. */
  timeoutMs?: number | undefined
  /** Called whenever the job has changed, and at its end. */
  onProgress?: ((job: BulkJob) => void) | undefined
}

/** Events of a job until it ends. Each event contains the whole job, so a reconnect loses nothing. */
export async function* followJob(
  transport: Transport,
  id: string,
  options: StreamOptions,
): AsyncGenerator<JobEvent, void, undefined> {
  for await (const { event, id: eventId, data } of followStream(transport, ['bulk', 'jobs', id, 'events'], options)) {
    // Other types may be added, with other data.
    if (event !== 'progress' && event !== 'end') continue
    yield { type: event, id: eventId, job: parseEventData<BulkJob>(data) }
    if (event === 'end') return
  }
}

const WAIT_TIMEOUT_MS = 24 * 60 * 60 * 1_000
/** Used when the account has as many open streams as it may have. */
const POLL_INTERVAL_MS = 5_000

type JobSource = { transport: Transport; get: (id: string, options: RequestOptions) => Promise<BulkJob> }

/** Waits for the end of a job by its event stream, or by polling if no stream is available. */
export async function waitForJob(source: JobSource, id: string, options: WaitOptions): Promise<BulkJob> {
  const { timeoutMs = WAIT_TIMEOUT_MS, onProgress, signal, ...rest } = options
  checkTimeout(timeoutMs)
  const { controller, release } = linkSignal(signal)
  const expired = new TimeoutError('The job has not ended within timeoutMs. It continues; call wait again.')
  const clock = setTimeout(() => controller.abort(expired), timeoutMs)
  try {
    for await (const job of watchJob(source, id, { ...rest, signal: controller.signal })) {
      onProgress?.(job)
      if (job.finished_at !== null) return job
    }
    return await source.get(id, { signal: controller.signal })
  } finally {
    clearTimeout(clock)
    release()
  }
}

async function* watchJob({ transport, get }: JobSource, id: string, options: StreamOptions & { signal: AbortSignal }) {
  try {
    for await (const { job } of followJob(transport, id, options)) yield job
  } catch (error) {
    if (!(error instanceof ProbityApiError && error.code === 'too_many_streams')) throw error
    // Ended by the signal of `waitForJob`.
    while (true) {
      yield await get(id, { signal: options.signal })
      await delay(POLL_INTERVAL_MS, options.signal)
    }
  }
}
