import { startInterval } from '@probity/concurrency/scheduling'
import { claimPlan } from '@probity/database/jobs/planning'
import { LOOK_EVERY_MS } from '../server/dispatch.ts'
import type { Services } from '../server/services.ts'
import { planJob } from './plan-job.ts'

/** Plans confirmed jobs one after the other. A job is planned by one worker; if that worker stops, another one plans it. */
export function startPlanning(services: Services, whenPlanned: () => void) {
  let stopping = false
  const interval = startInterval(
    LOOK_EVERY_MS,
    async () => {
      for (let job = await claimPlan(services.db, services.workerId); job; ) {
        await planJob(services, job)
        whenPlanned()
        job = stopping ? undefined : await claimPlan(services.db, services.workerId)
      }
    },
    {
      onError: (error) => services.log.warn({ err: error }, 'planning jobs failed; retrying'),
      isDue: async () => (await services.glance()).plans,
    },
  )
  return {
    async stop() {
      stopping = true
      await interval.stop()
    },
  }
}
