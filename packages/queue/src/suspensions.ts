import type { Redis } from 'ioredis'
import { paceKey } from './pace-key.ts'

/** A provider that turned us away, as seen from one of our ways out. */
export type Suspension = { provider: string; name: string; egress: string; reason: string; until: Date }

/** No suspension lasts longer, and what nobody adds to leaves with the last one. */
const KEPT_MS = 86_400_000
/** More than there are providers and ways out. */
const READ_MAX = 500

const keyOf = (prefix: string) => `${prefix}:suspensions`

/** Notes for everybody that a provider is left alone until a time. Of two times for the same the later one counts. */
export async function noteSuspension(redis: Redis, prefix: string, suspension: Suspension): Promise<void> {
  const { until, ...member } = suspension
  const key = keyOf(prefix)
  // They go out in one write.
  await Promise.all([
    redis.zremrangebyscore(key, '-inf', Date.now()),
    redis.zadd(key, 'GT', until.getTime(), JSON.stringify(member)),
    redis.pexpire(key, KEPT_MS),
  ])
}

/**
 * Ends the suspensions of a provider: those that workers noted here, and those of the given egresses. The time of the lift stays with the
 * pace, so that a worker that remembers the suspension does not bring it back.
 */
export async function liftSuspension(
  redis: Redis,
  prefix: string,
  { provider, egresses }: { provider: string; egresses: string[] },
): Promise<void> {
  const [seconds, microseconds] = await redis.time()
  const liftedAt = Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000)
  const noted = await redis.zrange(keyOf(prefix), '0', '-1')
  const own = noted.filter((member) => (JSON.parse(member) as Suspension).provider === provider)
  const names = new Set([...egresses, ...own.map((member) => (JSON.parse(member) as Suspension).egress)])
  const lifting = redis.multi()
  for (const egress of names) {
    const key = paceKey(prefix, { egress, site: provider })
    lifting.hdel(key, 'until', 'reason').hset(key, { lifted_at: liftedAt }).pexpire(key, KEPT_MS)
  }
  if (own.length > 0) lifting.zrem(keyOf(prefix), ...own)
  await lifting.exec()
}

/** The providers that are left alone now. */
export async function listSuspensions(redis: Redis, prefix: string): Promise<Suspension[]> {
  const answer = await redis.zrange(keyOf(prefix), Date.now(), '+inf', 'BYSCORE', 'LIMIT', 0, READ_MAX, 'WITHSCORES')
  const pairs = Array.from({ length: answer.length / 2 }, (_, n) => [answer[2 * n], answer[2 * n + 1]] as const)
  return pairs.map(([member = '{}', until]) => ({
    ...(JSON.parse(member) as Omit<Suspension, 'until'>),
    until: new Date(Number(until)),
  }))
}
