import { Piscina } from 'piscina'
import { Problem } from '../http/problem.ts'
import { type ReportOutcome, type ReportReading, type ReportTask, readFeedback } from './read-feedback.ts'

/** Reads reports, long ones in a thread: 10,000 internationalized addresses take seconds of CPU time. */
export type FeedbackReader = {
  read(task: ReportTask, sizeBytes: number): Promise<ReportReading>
  stop(): Promise<void>
}

/** Up to this size a report takes less than about 20 ms, and handing it to a thread would cost more than it saves. */
const INLINE_BYTES_MAX = 16 * 1024

const DEADLINE_MS = 30_000
const RETRY_AFTER_S = 5

const THREADS = {
  filename: new URL('./read-feedback.ts', import.meta.url).href,
  name: 'readFeedback',
  // One, so that reports leave processors to the thread that serves requests and to the threads that read uploads.
  maxThreads: 1,
  minThreads: 0,
  maxQueue: 20,
  idleTimeout: 30_000,
  atomics: 'disabled',
  resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 },
  // Without our environment: the thread reads input of clients and needs none of our secrets.
  env: {},
  recordTiming: false,
} as const

export function openFeedbackReader(): FeedbackReader {
  const threads = new Piscina<ReportTask, ReportOutcome>({ ...THREADS, execArgv: [] })
  return {
    async read(task, sizeBytes) {
      const isShort = sizeBytes <= INLINE_BYTES_MAX
      const outcome = isShort ? await readFeedback(task) : await readInThread(threads, task)
      if (outcome.kind === 'read') return outcome
      throw new Problem(outcome.code, outcome.detail, outcome.errors && { errors: outcome.errors })
    },
    stop: () => threads.destroy(),
  }
}

async function readInThread(threads: Piscina<ReportTask, ReportOutcome>, task: ReportTask): Promise<ReportOutcome> {
  if (threads.queueSize >= THREADS.maxQueue) throw overloaded()
  return threads.run(task, { signal: AbortSignal.timeout(DEADLINE_MS) }).catch((error: Error) => {
    throw error.name === 'AbortError' ? overloaded() : error
  })
}

function overloaded(): Problem {
  return new Problem('overloaded', undefined, { retryAfterS: RETRY_AFTER_S })
}
