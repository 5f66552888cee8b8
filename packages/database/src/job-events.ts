import type { Trx } from './connect.ts'
import { findJob } from './jobs.ts'
import { presentJob } from './present-job.ts'
import type { View } from './view.ts'
import { emitEvent } from './webhook-events.ts'

type JobEvent = 'job.completed' | 'job.failed' | 'job.cancelled' | 'job.paused'

/** Tells of a job, as its owner would see it now, in the transaction that changes it. */
export function emitJobEvent(trx: Trx, job: View & { id: string }, type: JobEvent): Promise<void> {
  return emitEvent(trx, {
    mode: job.mode,
    type,
    async data() {
      const found = await findJob(trx, job, job.id)
      if (found === undefined) throw new Error('a job has an event and is not there')
      return presentJob(found)
    },
  })
}
