import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createLocalRateLimiter } from '@probity/engine/smtp/connections/local-rate-limiter'
import {
  errorsOnConnectionMax,
  type Lease,
  type ProviderRateLimiter,
  RATE_LIMITER,
  type RateLimits,
  type Target,
  type Throttle,
} from '@probity/engine/smtp/connections/rate-limiter'
import { paceKey } from '@probity/queue/pace-key'
import type { Redis, Result } from 'ioredis'
import type { Logger } from 'pino'
import { asTold, type Known, openMemory } from './pace-memory.ts'

type Decision = 'lease' | 'release' | 'slow_down' | 'suspend'
/** A lease, with how many refusals it may see and how many its destination's may; or why not, for how long and by which target. */
type Answer = ['lease' | 'done' | Throttle['why'], number, number?]

declare module 'ioredis' {
  interface RedisCommander<Context> {
    keepPace(keys: number, ...args: [...keys: string[], decision: Decision, ask: string]): Result<Answer, Context>
  }
}

const SCRIPT = readFileSync(new URL('./pace.lua', import.meta.url), 'utf8')
/** How long a host uses local limits after a Redis failure, so that an outage does not delay every lease. */
const TRY_AGAIN_AFTER_MS = 1_000

type Options = { redis: Redis; prefix: string; log: Logger; leaseMs?: number; now?: () => number }

type Host = Required<Options> & {
  id: string
  leasesAsked: number
  recall(target: Target): Known
  alone: ProviderRateLimiter
  /** 0 while Redis is available. */
  aloneUntil: number
}

/**
 * Rate limiter for all hosts, implemented by one Redis script. Without Redis a host does not know the connections of others, so it
 * limits itself to one connection per target at the lowest rate, and applies the suspensions that it knows. The next lease reports
 * its connections to Redis.
 */
export function openPace(options: Options): ProviderRateLimiter {
  options.redis.defineCommand('keepPace', { lua: SCRIPT })
  const { now = () => performance.now(), leaseMs = RATE_LIMITER.leaseMs } = options
  const own = {
    id: randomUUID(),
    leasesAsked: 0,
    recall: openMemory(now),
    alone: createLocalRateLimiter({ now }),
    aloneUntil: 0,
  }
  const host: Host = { ...options, now, leaseMs, ...own }
  return {
    async lease(target, destination) {
      host.leasesAsked += 1
      const id = `${host.id}:${host.leasesAsked}`
      const targets = destination ? [target, destination] : [target]
      const shared = now() < host.aloneUntil ? undefined : await leaseShared(host, targets, id)
      return shared ?? leaseAlone(host, targets, id)
    },
    async slowDown(target) {
      await tell(host, [target], 'slow_down', {})
    },
    async suspend(target, reason, forMs) {
      const boundedMs = Math.max(1, Math.ceil(Math.min(forMs, RATE_LIMITER.suspendMaxMs)))
      host.log.info({ ...named(target), reason, forMs: boundedMs }, 'site suspended')
      remember(host.recall(target), { until: now() + boundedMs, since: now(), reason })
      await tell(host, [target], 'suspend', { reason, forMs: boundedMs })
    },
  }
}

/** Undefined if Redis is unavailable. Local limits apply then, so nothing is thrown. */
async function tell(host: Host, targets: Target[], decision: Decision, ask: object): Promise<Answer | undefined> {
  try {
    const text = JSON.stringify({ ...RATE_LIMITER, ...ask })
    const keys = targets.map((target) => paceKey(host.prefix, target))
    const answer = await host.redis.keepPace(keys.length, ...keys, decision, text)
    if (host.aloneUntil !== 0) host.log.info('redis reconnected; shared rate limits restored')
    host.aloneUntil = 0
    return answer
  } catch (error) {
    if (host.aloneUntil === 0) host.log.warn({ err: error }, 'redis unavailable: limited to one connection per site')
    host.aloneUntil = host.now() + TRY_AGAIN_AFTER_MS
    return undefined
  }
}

function named({ egress, site }: Target) {
  return { egress, site: site.slice(0, 100) }
}

function remember({ suspension }: Known, found: Known['suspension']): void {
  if (found.until > suspension.until) Object.assign(suspension, found)
}

async function leaseShared(host: Host, targets: Target[], id: string): Promise<Lease | Throttle | undefined> {
  const known = targets.map((target) => host.recall(target))
  // All that the host remembers is dated from before it asked, so that its memory never outlasts that of Redis.
  const askedAt = host.now()
  const untold = known.map((one) => one.untold)
  const told = targets.map(({ limits }, n) => {
    const one = known[n] as Known
    one.untold = 0
    return { ...limitsOf(limits), ...asTold(one, askedAt), refused: untold[n] }
  })
  const answer = await tell(host, targets, 'lease', { targets: told, id, leaseMs: host.leaseMs })
  if (answer === undefined) {
    for (const [n, one] of known.entries()) one.untold += untold[n] ?? 0
    // Redis may still grant it after the timeout, without a holder.
    for (const target of targets) void tell(host, [target], 'release', { id, refused: 0 })
    return undefined
  }
  const [what, amount, which = 1] = answer
  const of = which === 2 ? 'destination' : 'site'
  if (what === 'suspended') {
    remember(known[which - 1] as Known, { until: askedAt + amount, since: askedAt, reason: 'as_told' })
  }
  if (what !== 'lease') return hold(what as Throttle['why'], amount, of)
  const granted = answer.slice(1).map((errors) => (Number(errors) < 0 ? Number.POSITIVE_INFINITY : Number(errors)))
  const leases = targets.map((target, n) =>
    keep(host, target, { id, errorsMax: granted[n] ?? Number.POSITIVE_INFINITY, since: askedAt }),
  )
  if (known.every(({ aloneAt }) => aloneAt < askedAt)) return join(leases)
  // Another question went unanswered meanwhile and got a connection that Redis did not count when it granted this one.
  await Promise.all(leases.map((lease) => lease.release({ refused: 0 })))
  return hold('connections', 60_000 / (targets[0] as Target).limits.connectionsPerMinute)
}

function join([lease, destination]: Lease[]): Lease {
  return { ...(lease as Lease), ...(destination && { destination }) }
}

function limitsOf(habits: RateLimits) {
  const { connectionsPerEgress, connectionsPerMinute, errorsPerHour } = habits
  return {
    connectionsPerEgress,
    connectionsPerMinute,
    errorsPerHour,
    errorsOnConnection: errorsOnConnectionMax(habits),
  }
}

async function leaseAlone(host: Host, targets: Target[], id: string): Promise<Lease | Throttle> {
  const since = host.now()
  for (const [n, target] of targets.entries()) {
    const of = n === 0 ? 'site' : 'destination'
    const { suspension, leases } = host.recall(target)
    if (suspension.until > since) return hold('suspended', suspension.until - since, of)
    if (leases.size > 0) return hold('connections', 60_000 / limitsAlone(target.limits).connectionsPerMinute, of)
  }
  const [target, destination] = targets.map((one) => ({ ...one, limits: limitsAlone(one.limits) }))
  const alone = await host.alone.lease(target as Target, destination)
  if (alone.kind === 'throttle') return alone
  const leases = [alone, ...(alone.destination ? [alone.destination] : [])]
  return join(
    leases.map((lease, n) => {
      const of = targets[n] as Target
      host.recall(of).aloneAt = since
      return keep(host, of, { id, errorsMax: lease.errorsMax, since, alone: lease })
    }),
  )
}

/** The provider limits of a target for a host without Redis. */
function limitsAlone(habits: RateLimits): RateLimits {
  return {
    ...habits,
    connectionsPerEgress: 1,
    connectionsPerMinute: (habits.connectionsPerMinute * RATE_LIMITER.levelMin) / RATE_LIMITER.levelMax,
    errorsPerHour: habits.errorsPerHour === null ? null : Math.max(1, Math.floor(habits.errorsPerHour / 10)),
  }
}

function hold(why: Throttle['why'], waitMs: number, of: Throttle['of'] = 'site'): Throttle {
  return { kind: 'throttle', why, retryAfterMs: Math.max(1, Math.ceil(waitMs)), of }
}

type Granted = { id: string; errorsMax: number; since: number; alone?: Lease }

function keep(host: Host, target: Target, { id, errorsMax, since, alone }: Granted): Lease {
  const promised = Number.isFinite(errorsMax) ? errorsMax : 0
  host.recall(target).leases.set(id, { endsAt: since + host.leaseMs, promised })
  let isHeld = true
  return {
    kind: 'lease',
    errorsMax,
    async release(report) {
      if (!isHeld) return
      isHeld = false
      // Rejections are counted only if there is a limit for them.
      const refused = target.limits.errorsPerHour === null ? 0 : report.refused
      const known = host.recall(target)
      known.leases.delete(id)
      await alone?.release({ refused })
      const answer = await tell(host, [target], 'release', { id, refused })
      if (answer === undefined) known.untold += refused
    },
  }
}
