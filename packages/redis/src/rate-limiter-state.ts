import type { Redis } from 'ioredis'
import { type RateLimiterTarget, rateLimiterKey, suspensionsKey } from './keys.ts'

/** State of the rate limiter for a site and an egress, which all workers share. */
export type RateLimiterState = {
  /** Number of open connections. */
  connections: number
  /** Recipients rejected within the last hour. */
  refused: number
  /** Permille of the configured rate. Reduced for some hours after a site rate-limits us. */
  level: number
  suspendedUntil: Date | null
  suspendedFor: string | null
}

const LEVEL_MAX = 1_000

/** Reads the hash that rate-limiter.lua writes. Undefined if the site was not probed recently. */
export async function readRateLimiterState(
  redis: Redis,
  prefix: string,
  target: RateLimiterTarget,
  now = Date.now(),
): Promise<RateLimiterState | undefined> {
  const fields = Object.entries(await redis.hgetall(rateLimiterKey(prefix, target)))
  if (fields.length === 0) return undefined
  const of = new Map(fields)
  const until = Number(of.get('until') ?? 0)
  const isSuspended = until > now
  const ends = fields.filter(([name]) => name.startsWith('lease:')).map(([, value]) => Number(value.split(':')[0]))
  const refused = fields.filter(([name]) => name.startsWith('refused:')).map(([, value]) => Number(value))
  return {
    connections: ends.filter((end) => end > now).length,
    refused: refused.reduce((sum, count) => sum + count, 0),
    level: Number(of.get('level') ?? LEVEL_MAX),
    suspendedUntil: isSuspended ? new Date(until) : null,
    suspendedFor: isSuspended ? (of.get('reason') ?? null) : null,
  }
}

/** A provider that is suspended on an egress. */
export type Suspension = { provider: string; name: string; egress: string; reason: string; until: Date }

/** The longest suspension. The key expires this long after the last one was recorded. */
const KEPT_MS = 86_400_000
/** More than there are pairs of provider and egress. */
const READ_MAX = 500

/** Records a suspension for all processes. If it is recorded twice, the later end applies. */
export async function recordSuspension(redis: Redis, prefix: string, suspension: Suspension): Promise<void> {
  const { until, ...member } = suspension
  const key = suspensionsKey(prefix)
  // Pipelined.
  await Promise.all([
    redis.zremrangebyscore(key, '-inf', Date.now()),
    redis.zadd(key, 'GT', until.getTime(), JSON.stringify(member)),
    redis.pexpire(key, KEPT_MS),
  ])
}

/**
 * Ends the suspensions of a provider: those that workers recorded, and those of the given egresses. The time is stored with the state of
 * the rate limiter, so that a worker that remembers the suspension does not restore it.
 */
export async function liftSuspension(
  redis: Redis,
  prefix: string,
  { provider, egresses }: { provider: string; egresses: string[] },
): Promise<void> {
  const [seconds, microseconds] = await redis.time()
  const liftedAt = Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000)
  const recorded = await redis.zrange(suspensionsKey(prefix), '0', '-1')
  const own = recorded.filter((member) => (JSON.parse(member) as Suspension).provider === provider)
  const names = new Set([...egresses, ...own.map((member) => (JSON.parse(member) as Suspension).egress)])
  const lifting = redis.multi()
  for (const egress of names) {
    const key = rateLimiterKey(prefix, { egress, site: provider })
    lifting.hdel(key, 'until', 'reason').hset(key, { lifted_at: liftedAt }).pexpire(key, KEPT_MS)
  }
  if (own.length > 0) lifting.zrem(suspensionsKey(prefix), ...own)
  await lifting.exec()
}

/** The providers that are suspended now. */
export async function listSuspensions(redis: Redis, prefix: string): Promise<Suspension[]> {
  const key = suspensionsKey(prefix)
  const reply = await redis.zrange(key, Date.now(), '+inf', 'BYSCORE', 'LIMIT', 0, READ_MAX, 'WITHSCORES')
  const pairs = Array.from({ length: reply.length / 2 }, (_, n) => [reply[2 * n], reply[2 * n + 1]] as const)
  return pairs.map(([member = '{}', until]) => ({
    ...(JSON.parse(member) as Omit<Suspension, 'until'>),
    until: new Date(Number(until)),
  }))
}
