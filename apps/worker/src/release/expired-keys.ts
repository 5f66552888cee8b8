import { removeStaleStreams } from '@probity/database/event-streams'
import { announceExpiredKeys } from '@probity/database/keys'
import type { Services } from '../services.ts'
import { startRounds } from './rounds.ts'

const EVERY_MS = 60_000
const AT_ONCE_MAX = 100

/**
 * Once per minute: emits `key.expired` for keys that have expired, which no request does, and deletes event streams that their API
 * process no longer renews. Any number of workers may do it.
 */
export function startExpiringKeys({ db, log }: Pick<Services, 'db' | 'log'>, everyMs = EVERY_MS) {
  const round = async () => {
    await removeStaleStreams(db)
    const announced = await announceExpiredKeys(db, AT_ONCE_MAX)
    if (announced > 0) log.debug({ announced }, 'emitted events of expired keys')
  }
  return startRounds(everyMs, round, { log, name: 'emitting events of expired keys' })
}
