import { readFileSync } from 'node:fs'
import { RATE_LIMITER } from '@probity/engine/smtp/connections/rate-limiter'
import type { Redis, Result } from 'ioredis'
import { errorSharesKey, type RateLimiterTarget, zoneQueriesKey } from './keys.ts'

declare module 'ioredis' {
  interface RedisCommander<Context> {
    shareErrors(keys: number, ...args: (string | number)[]): Result<number[], Context>
  }
}

const ERROR_SHARES_SCRIPT = readFileSync(new URL('./error-shares.lua', import.meta.url), 'utf8')
const ERRORS_KEPT_MS = (RATE_LIMITER.slotsInHour + 1) * RATE_LIMITER.slotMs

/** New rejections of an account. 0 states that the account uses the provider. */
type AccountErrors = { accountId: string; rejected: number }

/** Counts the rejected recipients of each account at a provider, over all workers. */
export type ErrorCounter = {
  /** Adds rejections. Returns whether several accounts used the provider within the hour, and the rejections of each given account. */
  add(target: RateLimiterTarget, errors: AccountErrors[]): Promise<{ isShared: boolean; used: number[] }>
}

export function createErrorCounter(redis: Redis, prefix: string): ErrorCounter {
  redis.defineCommand('shareErrors', { lua: ERROR_SHARES_SCRIPT })
  return {
    async add(target, errors) {
      // The current slot and those of the hour before it, as the rate limiter counts them.
      const slot = Math.floor(Date.now() / RATE_LIMITER.slotMs)
      const keys = Array.from({ length: RATE_LIMITER.slotsInHour }, (_, n) => errorSharesKey(prefix, target, slot - n))
      const pairs = errors.flatMap(({ accountId, rejected }) => [accountId, rejected])
      const [isShared, ...used] = await redis.shareErrors(keys.length, ...keys, ERRORS_KEPT_MS, ...pairs)
      return { isShared: isShared === 1, used }
    },
  }
}

export const ZONE_WINDOW_MS = 60_000

/**
 * Counts one DNS query about a zone in the window with this number. Returns the queries of all workers, this one included; 0 while Redis
 * is unavailable.
 */
export async function countZoneQuery(
  redis: Redis,
  prefix: string,
  { window, zone }: { window: number; zone: string },
): Promise<number> {
  const key = zoneQueriesKey(prefix, window, zone)
  try {
    const [[, count] = []] =
      (await redis
        .multi()
        .incr(key)
        .pexpire(key, 2 * ZONE_WINDOW_MS)
        .exec()) ?? []
    return Number(count ?? 0)
  } catch {
    return 0
  }
}
