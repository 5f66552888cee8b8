import type { Trx } from './connect.ts'
import { findJob } from './jobs.ts'
import { presentJob } from './present-job.ts'
import type { View } from './view.ts'
import { emitEvent } from './webhook-events.ts'

type JobEvent = `job.${'created' | 'paused' | 'resumed' | 'completed' | 'failed' | 'canceled'}`

/** The events that end a job. They are also delivered to its `callback_url`. */
const ENDINGS: ReadonlySet<JobEvent> = new Set(['job.completed', 'job.failed', 'job.canceled'])

/** Emits an event of a job, with the job as the API shows it now, in the transaction that changes it. */
export function emitJobEvent(trx: Trx, job: View & { id: string }, type: JobEvent): Promise<void> {
  return emitEvent(trx, {
    mode: job.mode,
    type,
    ...(ENDINGS.has(type) && { callbackJob: job.id }),
    async data() {
      const found = await findJob(trx, job, job.id)
      if (found === undefined) throw new Error('the job of an event does not exist')
      return presentJob(found)
    },
  })
}
