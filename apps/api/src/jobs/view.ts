import type { Job, JobView } from '@probity/database/jobs'
import type { DoorKey } from '@probity/database/keys'
import { Problem } from '../problem.ts'

/** Live keys see the jobs of live keys, test keys those of test keys. */
export function viewOf({ accountId, mode }: DoorKey): JobView {
  return { accountId, mode }
}

export function found(job: Job | undefined): Job {
  if (job === undefined) throw new Problem('not_found')
  return job
}
