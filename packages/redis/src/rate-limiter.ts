import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createLruLookup } from '@probity/concurrency/lru-cache'
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
import { scaleDurations, type TimeFactor } from '@probity/engine/smtp/connections/time-factor'
import type { Reason } from '@probity/engine/smtp/replies/rules'
import type { Redis, Result } from 'ioredis'
import type { Logger } from 'pino'
import { rateLimiterKey } from './keys.ts'

type Command = 'lease' | 'release' | 'slow_down' | 'suspend'
/** A lease with the errors that it and its destination may cause; or the reason for throttling, its duration, and the target. */
type Reply = ['lease' | 'done' | Throttle['why'], number, number?]

declare module 'ioredis' {
  interface RedisCommander<Context> {
    limitRate(keys: number, ...args: [...keys: string[], command: Command, input: string]): Result<Reply, Context>
  }
}

const SCRIPT = readFileSync(new URL('./rate-limiter.lua', import.meta.url), 'utf8')
/** How long a worker uses local limits after a Redis failure, so that an outage does not delay every lease. */
const RETRY_AFTER_MS = 1_000

type Options = TimeFactor & { redis: Redis; prefix: string; log: Logger; leaseMs?: number; now?: () => number }

type Limiter = Required<Options> & {
  /** The constants of the script. */
  constants: typeof RATE_LIMITER
  id: string
  /** Number of leases requested, which makes their ids unique. */
  leaseCount: number
  recall(target: Target): LocalState
  local: ProviderRateLimiter
  /** Local limits apply until then; 0 while Redis is available. */
  localUntil: number
}

/**
 * Rate limiter for all workers, implemented by one Redis script. Without Redis a worker does not know the connections of others, so it
 * limits itself to one connection per target at the lowest rate, and applies the suspensions that it knows. The next lease reports
 * its connections to Redis.
 */
export function createRedisRateLimiter(options: Options): ProviderRateLimiter {
  options.redis.defineCommand('limitRate', { lua: SCRIPT })
  const { now = () => performance.now(), timeFactor = 1 } = options
  const constants = scaleDurations(RATE_LIMITER, timeFactor)
  const { leaseMs = constants.leaseMs } = options
  const own = {
    id: randomUUID(),
    leaseCount: 0,
    recall: createLocalStates(now),
    local: createLocalRateLimiter({ now, timeFactor }),
    localUntil: 0,
  }
  const limiter: Limiter = { ...options, now, leaseMs, timeFactor, constants, ...own }
  return {
    async lease(target, destination) {
      limiter.leaseCount += 1
      const id = `${limiter.id}:${limiter.leaseCount}`
      const targets = destination ? [target, destination] : [target]
      const shared = now() < limiter.localUntil ? undefined : await leaseShared(limiter, targets, id)
      return shared ?? leaseLocally(limiter, targets, id)
    },
    async slowDown(target) {
      await callScript(limiter, [target], 'slow_down', {})
    },
    async suspend(target, reason, forMs) {
      const boundedMs = Math.max(1, Math.ceil(Math.min(forMs, constants.suspendMaxMs)))
      limiter.log.info({ ...describeTarget(target), reason, forMs: boundedMs }, 'site suspended')
      extendSuspension(limiter.recall(target), { until: now() + boundedMs, since: now(), reason })
      await callScript(limiter, [target], 'suspend', { reason, forMs: boundedMs })
    },
  }
}

/** Undefined if Redis is unavailable. Local limits apply then, so nothing is thrown. */
async function callScript(
  limiter: Limiter,
  targets: Target[],
  command: Command,
  input: object,
): Promise<Reply | undefined> {
  try {
    const text = JSON.stringify({ ...limiter.constants, ...input })
    const keys = targets.map((target) => rateLimiterKey(limiter.prefix, target))
    const reply = await limiter.redis.limitRate(keys.length, ...keys, command, text)
    if (limiter.localUntil !== 0) limiter.log.info('redis reconnected; shared rate limits restored')
    limiter.localUntil = 0
    return reply
  } catch (error) {
    if (limiter.localUntil === 0)
      limiter.log.warn({ err: error }, 'redis unavailable: limited to one connection per site')
    limiter.localUntil = limiter.now() + RETRY_AFTER_MS
    return undefined
  }
}

function describeTarget({ egress, site }: Target) {
  return { egress, site: site.slice(0, 100) }
}

function extendSuspension({ suspension }: LocalState, found: LocalState['suspension']): void {
  if (found.until > suspension.until) Object.assign(suspension, found)
}

async function leaseShared(limiter: Limiter, targets: Target[], id: string): Promise<Lease | Throttle | undefined> {
  const states = targets.map((target) => limiter.recall(target))
  // Local state is dated from before the call, so that it never outlasts the state in Redis.
  const calledAt = limiter.now()
  const unreported = states.map((state) => state.unreported)
  const reports = targets.map(({ limits }, n) => {
    const state = states[n] as LocalState
    state.unreported = 0
    return { ...limitsOf(limits, limiter.timeFactor), ...describeState(state, calledAt), refused: unreported[n] }
  })
  const reply = await callScript(limiter, targets, 'lease', { targets: reports, id, leaseMs: limiter.leaseMs })
  if (reply === undefined) {
    for (const [n, state] of states.entries()) state.unreported += unreported[n] ?? 0
    // Redis may still grant it after the timeout, without a holder.
    for (const target of targets) void callScript(limiter, [target], 'release', { id, refused: 0 })
    return undefined
  }
  const [outcome, amount, which = 1] = reply
  const of = which === 2 ? 'destination' : 'site'
  if (outcome === 'suspended') {
    const suspension = { until: calledAt + amount, since: calledAt, reason: 'as_told' } as const
    extendSuspension(states[which - 1] as LocalState, suspension)
  }
  if (outcome !== 'lease') return throttle(outcome as Throttle['why'], amount, of)
  const granted = reply.slice(1).map((errors) => (Number(errors) < 0 ? Number.POSITIVE_INFINITY : Number(errors)))
  const leases = targets.map((target, n) =>
    holdLease(limiter, target, { id, errorsMax: granted[n] ?? Number.POSITIVE_INFINITY, since: calledAt }),
  )
  if (states.every(({ leasedLocallyAt }) => leasedLocallyAt < calledAt)) return joinLeases(leases)
  // Another call failed meanwhile and got a local lease, which Redis did not count when it granted this one.
  await Promise.all(leases.map((lease) => lease.release({ refused: 0 })))
  const { connectionsPerMinute } = limitsOf((targets[0] as Target).limits, limiter.timeFactor)
  return throttle('connections', 60_000 / connectionsPerMinute)
}

function joinLeases([lease, destination]: Lease[]): Lease {
  return { ...(lease as Lease), ...(destination && { destination }) }
}

function limitsOf(limits: RateLimits, timeFactor: number) {
  const { connectionsPerEgress, errorsPerHour } = limits
  const connectionsPerMinute = limits.connectionsPerMinute * timeFactor
  return {
    connectionsPerEgress,
    connectionsPerMinute,
    errorsPerHour,
    errorsOnConnection: errorsOnConnectionMax(limits),
  }
}

async function leaseLocally(limiter: Limiter, targets: Target[], id: string): Promise<Lease | Throttle> {
  const since = limiter.now()
  for (const [n, target] of targets.entries()) {
    const of = n === 0 ? 'site' : 'destination'
    const { suspension, leases } = limiter.recall(target)
    if (suspension.until > since) return throttle('suspended', suspension.until - since, of)
    const { connectionsPerMinute } = localLimits(target.limits)
    if (leases.size > 0) return throttle('connections', 60_000 / (connectionsPerMinute * limiter.timeFactor), of)
  }
  const [target, destination] = targets.map((one) => ({ ...one, limits: localLimits(one.limits) }))
  const local = await limiter.local.lease(target as Target, destination)
  if (local.kind === 'throttle') return local
  const leases = [local, ...(local.destination ? [local.destination] : [])]
  return joinLeases(
    leases.map((lease, n) => {
      const of = targets[n] as Target
      limiter.recall(of).leasedLocallyAt = since
      return holdLease(limiter, of, { id, errorsMax: lease.errorsMax, since, local: lease })
    }),
  )
}

/** The limits of a target for a worker without Redis. */
function localLimits(limits: RateLimits): RateLimits {
  return {
    ...limits,
    connectionsPerEgress: 1,
    connectionsPerMinute: (limits.connectionsPerMinute * RATE_LIMITER.levelMin) / RATE_LIMITER.levelMax,
    errorsPerHour: limits.errorsPerHour === null ? null : Math.max(1, Math.floor(limits.errorsPerHour / 10)),
  }
}

function throttle(why: Throttle['why'], waitMs: number, of: Throttle['of'] = 'site'): Throttle {
  return { kind: 'throttle', why, retryAfterMs: Math.max(1, Math.ceil(waitMs)), of }
}

type Granted = { id: string; errorsMax: number; since: number; local?: Lease }

function holdLease(limiter: Limiter, target: Target, { id, errorsMax, since, local }: Granted): Lease {
  const promised = Number.isFinite(errorsMax) ? errorsMax : 0
  limiter.recall(target).leases.set(id, { endsAt: since + limiter.leaseMs, promised })
  let isHeld = true
  return {
    kind: 'lease',
    errorsMax,
    async release(report) {
      if (!isHeld) return
      isHeld = false
      // Rejections are counted only if there is a limit for them.
      const refused = target.limits.errorsPerHour === null ? 0 : report.refused
      const state = limiter.recall(target)
      state.leases.delete(id)
      await local?.release({ refused })
      const reply = await callScript(limiter, [target], 'release', { id, refused })
      if (reply === undefined) state.unreported += refused
    },
  }
}

/** State of a target within a worker: enough to limit itself while Redis is unavailable, and to report afterwards. */
type LocalState = {
  /** The connections that it holds. */
  leases: Map<string, { endsAt: number; promised: number }>
  /** When it last took a connection without Redis. */
  leasedLocallyAt: number
  /** Rejected recipients that Redis does not know of. */
  unreported: number
  suspension: { until: number; since: number; reason: Reason | 'as_told' }
}

/** Each state is small, and targets in use stay in the cache. */
const TARGETS_MAX = 10_000

function createLocalStates(now: () => number): (target: Target) => LocalState {
  const recall = createLruLookup(TARGETS_MAX, newState)
  return ({ egress, site }) => {
    const state = recall(JSON.stringify([egress, site]))
    for (const [id, { endsAt }] of state.leases) if (endsAt <= now()) state.leases.delete(id)
    return state
  }
}

function newState(): LocalState {
  const never = Number.NEGATIVE_INFINITY
  const suspension = { until: never, since: never, reason: 'as_told' as const }
  return { leases: new Map(), leasedLocallyAt: never, unreported: 0, suspension }
}

/** Sent with every lease, in case that Redis was unavailable or lost its data. */
function describeState({ leases, suspension }: LocalState, now: number) {
  return {
    held: [...leases].map(([id, { endsAt, promised }]) => [id, Math.floor(endsAt - now), promised]),
    suspendedMs: Math.max(0, Math.floor(suspension.until - now)),
    suspendedAgoMs: suspension.until > now ? Math.max(0, Math.floor(now - suspension.since)) : 0,
    reason: suspension.reason,
  }
}
