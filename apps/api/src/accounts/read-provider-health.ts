import { healthMessage } from '@probity/contract/constants/system'
import type { LimitedProvider, ProviderHealth } from '@probity/contract/schemas/system'
import { listSuspensions, type Suspension } from '@probity/redis/rate-limiter-state'
import type { Redis } from 'ioredis'

/** The provider suspensions that workers have recorded. Unknown if Redis is unavailable. */
export async function readProviderHealth(redis: Redis, prefix: string): Promise<ProviderHealth> {
  const suspensions = await listSuspensions(redis, prefix).catch(() => undefined)
  if (suspensions === undefined) return withMessage('unknown', [])
  const providers = gather(suspensions)
  return withMessage(providers.length > 0 ? 'limited' : 'normal', providers)
}

function withMessage(status: string, providers: LimitedProvider[]): ProviderHealth {
  return { status, message: healthMessage({ status, providers }, (retryAt) => timeOf(retryAt)), providers }
}

/** Each provider once, with the latest suspension of any egress. */
function gather(suspensions: Suspension[]): LimitedProvider[] {
  const latest = suspensions.toSorted((a, b) => b.until.getTime() - a.until.getTime())
  const first = new Map(latest.toReversed().map((one) => [one.provider, one]))
  return latest
    .filter((one) => first.get(one.provider) === one)
    .map(({ provider, name, reason, until }) => ({ provider, name, reason, retry_at: until.toISOString() }))
}

/** In UTC, with the date unless it is today. */
function timeOf(retryAt: string, now = new Date()): string {
  const time = `${retryAt.slice(11, 16)} UTC`
  return retryAt.slice(0, 10) === now.toISOString().slice(0, 10) ? time : `${retryAt.slice(0, 10)}, ${time}`
}
