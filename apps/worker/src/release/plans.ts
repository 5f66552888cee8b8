import { takePlan } from '@probity/database/jobs/planning'
import { planJob } from '../processors/plan-job.ts'
import type { Services } from '../services.ts'
import { LOOK_EVERY_MS } from './glance.ts'
import { startInterval } from './rounds.ts'

/** Plans the jobs that were confirmed, one after the other. Each is planned by one worker; one that dies over it has a successor. */
export function startPlanning(services: Services, whenPlanned: () => void) {
  let stopping = false
  const rounds = startInterval(
    LOOK_EVERY_MS,
    async () => {
      for (let job = await takePlan(services.db, services.workerId); job; ) {
        await planJob(services, job)
        whenPlanned()
        job = stopping ? undefined : await takePlan(services.db, services.workerId)
      }
    },
    { log: services.log, name: 'planning jobs', isWanted: async () => (await services.glance()).plans },
  )
  return {
    async stop() {
      stopping = true
      await rounds.stop()
    },
  }
}
