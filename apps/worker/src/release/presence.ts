import { beat, releaseClaims } from '@probity/database/jobs/batches'
import type { Services } from '../services.ts'

/** Other workers take over after ten seconds without a heartbeat, so a few heartbeats may be lost. */
const BEAT_EVERY_MS = 1_000

/** Sends heartbeats from before the first batch until the last. Resolves after the first heartbeat. */
export async function startPresence({ db, workerId, log }: Pick<Services, 'db' | 'workerId' | 'log'>, slots: number) {
  let beating = Promise.resolve()
  async function beatOnce(): Promise<void> {
    try {
      await beat(db, workerId, slots)
    } catch (error) {
      log.debug({ err: error }, 'heartbeat failed')
    }
  }
  await beatOnce()
  const timer = setInterval(() => {
    beating = beating.then(beatOnce)
  }, BEAT_EVERY_MS)
  return {
    /** Releases unfinished batches. If that fails, other workers take over after ten seconds. */
    async stop() {
      clearInterval(timer)
      await beating
      await releaseClaims(db, workerId).catch((error: unknown) =>
        log.warn({ err: error }, 'failed to release claims on shutdown'),
      )
    },
  }
}
