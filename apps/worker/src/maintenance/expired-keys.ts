import { startInterval } from '@probity/concurrency/scheduling'
import { announceExpiredKeys } from '@probity/database/accounts/keys'
import { removeStaleStreams } from '@probity/database/webhooks/event-streams'
import type { Services } from '../server/services.ts'

const EVERY_MS = 60_000
const AT_ONCE_MAX = 100

/**
 * Once per minute: emits `key.expired` for keys that have expired, which no request does, and deletes event streams that their API
 * process no longer renews. Any number of workers may do it.
 */
export function startExpiringKeys({ db, log }: Pick<Services, 'db' | 'log'>, everyMs = EVERY_MS) {
  const run = async () => {
    await removeStaleStreams(db)
    const announced = await announceExpiredKeys(db, AT_ONCE_MAX)
    if (announced > 0) log.debug({ announced }, 'emitted key expiry events')
  }
  return startInterval(everyMs, run, {
    onError: (error) => log.warn({ err: error }, 'emitting key expiry events failed; retrying'),
  })
}
