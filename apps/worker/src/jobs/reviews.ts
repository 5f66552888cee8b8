import { startInterval } from '@probity/concurrency/scheduling'
import { evaluateSamples } from '@probity/database/operators/reviews'
import type { Services } from '../server/services.ts'

const JUDGE_EVERY_MS = 1_000

/** Judges the samples of lists that may be guessed, once a second while jobs are processed. Any number of workers may do it. */
export function startReviewing(services: Pick<Services, 'db' | 'log' | 'glance' | 'meters'>) {
  const { db, log, glance, meters } = services
  return startInterval(
    JUDGE_EVERY_MS,
    async () => {
      const paused = await evaluateSamples(db)
      if (paused === 0) return
      meters.reviewed(paused)
      log.warn({ jobs: paused }, 'jobs paused for review: most addresses of their samples are invalid')
    },
    {
      onError: (error) => log.warn({ err: error }, 'reviewing job samples failed; retrying'),
      isDue: async () => (await glance()).batches,
    },
  )
}
