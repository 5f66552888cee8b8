import { startInterval } from '@probity/concurrency/scheduling'
import { recordHeartbeat, releaseClaims } from '@probity/database/jobs/batches'
import type { Services } from '../server/services.ts'

/** Other workers take over after ten seconds without a heartbeat, so a few heartbeats may be lost. */
const HEARTBEAT_EVERY_MS = 1_000

/** Sends heartbeats from before the first batch until the last. Resolves after the first heartbeat. */
export async function startPresence({ db, workerId, log }: Pick<Services, 'db' | 'workerId' | 'log'>, slots: number) {
  const beatOnce = () => recordHeartbeat(db, workerId, slots)
  const onError = (error: unknown) => log.debug({ err: error }, 'heartbeat failed')
  await beatOnce().catch(onError)
  const heartbeats = startInterval(HEARTBEAT_EVERY_MS, beatOnce, { onError, delayFirst: true })
  return {
    /** Releases unfinished batches. If that fails, other workers take over after ten seconds. */
    async stop() {
      await heartbeats.stop()
      await releaseClaims(db, workerId).catch((error: unknown) =>
        log.warn({ err: error }, 'failed to release claims on shutdown'),
      )
    },
  }
}
