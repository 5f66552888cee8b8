import { setTimeout as sleep } from 'node:timers/promises'
import { isOutage } from '@probity/database/connection/outage'
import type { Logger } from 'pino'

const AGAIN_AFTER_MS = 500

/** Retries while PostgreSQL is down, so that a short outage does not discard results that are expensive to get again. */
export async function retryOnOutage<T>(log: Logger, withinMs: number, work: () => Promise<T>): Promise<T> {
  for (const deadline = performance.now() + withinMs; ; await sleep(AGAIN_AFTER_MS)) {
    try {
      return await work()
    } catch (error) {
      if (!isOutage(error) || performance.now() > deadline) throw error
      log.debug({ err: error }, 'retrying PostgreSQL query after an outage')
    }
  }
}
