import { takePlan } from '@probity/database/planning'
import { planJob } from '../processors/plan-job.ts'
import type { Services } from '../services.ts'
import { startRounds } from './rounds.ts'

const EVERY_MS = 250

/** Plans the jobs that were confirmed, one after the other. Each is planned by one worker; one that dies over it has a successor. */
export function startPlanning(services: Services, whenPlanned: () => void) {
  let stopping = false
  const rounds = startRounds(
    EVERY_MS,
    async () => {
      for (let job = await takePlan(services.db, services.workerId); job; ) {
        await planJob(services, job)
        whenPlanned()
        job = stopping ? undefined : await takePlan(services.db, services.workerId)
      }
    },
    { log: services.log, name: 'planning' },
  )
  return {
    async stop() {
      stopping = true
      await rounds.stop()
    },
  }
}
