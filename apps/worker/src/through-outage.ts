import { setTimeout as sleep } from 'node:timers/promises'
import { isOutage } from '@probity/database/outage'
import type { Logger } from 'pino'

const AGAIN_AFTER_MS = 500

/** Tries again while PostgreSQL is away. What was found out cost others' patience, so it is not thrown away for a moment's outage. */
export async function throughOutage<T>(log: Logger, withinMs: number, work: () => Promise<T>): Promise<T> {
  for (const deadline = performance.now() + withinMs; ; await sleep(AGAIN_AFTER_MS)) {
    try {
      return await work()
    } catch (error) {
      if (!isOutage(error) || performance.now() > deadline) throw error
      log.debug({ err: error }, 'PostgreSQL is asked again')
    }
  }
}
