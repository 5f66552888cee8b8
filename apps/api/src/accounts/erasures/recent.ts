import { listSendSettings } from '@probity/database/accounts/accounts'
import { inTenant } from '@probity/database/connection/connect'
import type { Erasing } from '@probity/database/system/erase-address'
import { RECENT_FOR_S } from '@probity/redis/cache'
import { sandboxKey } from '@probity/redis/keys'
import type { Redis } from 'ioredis'
import { Problem } from '../../http/problem.ts'
import type { RecentKeys } from '../../middleware/rate-limit/recent-keys.ts'

type Needed = { redis: Redis; recentKeyOf: RecentKeys['keyOf'] }

const BOTH = [true, false] as const
const RETRY_AFTER_S = 5

/**
 * Deletes the recent results of an address, and the notes of its first requests in test mode. Their names are hashes of the address, the options of the
 * request and the settings of the account, so that each combination that was possible within the last day is tried.
 */
export async function eraseRecentResults({ redis, recentKeyOf }: Needed, erasing: Erasing): Promise<number> {
  const { db, accountId, address } = erasing
  const settings = await inTenant(db, accountId, (trx) => listSendSettings(trx, accountId, RECENT_FOR_S))
  const keys = new Set<string>()
  for (const { sendThreshold, excludedTraits } of settings) {
    for (const [ai, catchall, mailbox] of combinations()) {
      for (const [planAi, planCatchall] of combinations()) {
        const account = { accountId, ai: planAi, catchall: planCatchall, sendThreshold, excludedTraits }
        const key = recentKeyOf(account, { key: address.key }, { ai, catchall, mailbox })
        // The secret behind the names is not read yet: the process has just started.
        if (key === undefined) throw unavailable()
        keys.add(key)
        keys.add(sandboxKey(key))
      }
    }
  }
  try {
    return await redis.unlink([...keys])
  } catch {
    throw unavailable()
  }
}

function combinations(): [boolean, boolean, boolean][] {
  return BOTH.flatMap((a) => BOTH.flatMap((b) => BOTH.map((c): [boolean, boolean, boolean] => [a, b, c])))
}

function unavailable(): Problem {
  return new Problem('service_unavailable', undefined, { retryAfterS: RETRY_AFTER_S })
}
