import { PROVIDERS } from '@probity/engine/domain/data/providers'
import type { ProviderRateLimiter } from '@probity/engine/smtp/connections/rate-limiter'
import { recordSuspension } from '@probity/redis/rate-limiter-state'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'

type Told = { redis: Redis; prefix: string; log: Logger }

const NAMES = new Map(PROVIDERS.map(({ id, name }) => [id, name]))

/**
 * A rate limiter that also publishes suspensions to all accounts. Known providers only: the name of another site would reveal to one
 * account which domains another account validates.
 */
export function tellOfSuspensions(pace: ProviderRateLimiter, { redis, prefix, log }: Told): ProviderRateLimiter {
  return {
    ...pace,
    async suspend(target, reason, forMs) {
      await pace.suspend(target, reason, forMs)
      const { site: provider, egress } = target
      const name = NAMES.get(provider)
      if (name === undefined) return
      const until = new Date(Date.now() + forMs)
      await recordSuspension(redis, prefix, { provider, name, egress, reason, until }).catch((error: unknown) =>
        log.debug({ err: error, provider }, 'failed to publish suspension: redis unavailable'),
      )
    },
  }
}
