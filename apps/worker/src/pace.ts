import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { openLocalPace } from '@probity/engine/mailbox/local-pace'
import {
  errorsOnConnectionMax,
  type Hold,
  type Lease,
  PACE,
  type Pace,
  type PaceLimits,
  type Target,
} from '@probity/engine/mailbox/pace'
import { paceKey } from '@probity/queue/pace-key'
import type { Redis, Result } from 'ioredis'
import type { Logger } from 'pino'
import { asTold, type Known, openMemory } from './pace-memory.ts'

type Decision = 'lease' | 'release' | 'slow_down' | 'suspend'
/** A lease, with how many refusals it may see and how many its destination's may; or why not, for how long and by which target. */
type Answer = ['lease' | 'done' | Hold['why'], number, number?]

declare module 'ioredis' {
  interface RedisCommander<Context> {
    keepPace(keys: number, ...args: [...keys: string[], decision: Decision, ask: string]): Result<Answer, Context>
  }
}

const SCRIPT = readFileSync(new URL('./pace.lua', import.meta.url), 'utf8')
/** After a failure, how long this host goes on alone before it asks again: an outage must not cost every lease the wait. */
const TRY_AGAIN_AFTER_MS = 1_000

type Options = { redis: Redis; prefix: string; log: Logger; leaseMs?: number; now?: () => number }

type Host = Required<Options> & {
  id: string
  leasesAsked: number
  recall(target: Target): Known
  alone: Pace
  /** 0 while Redis answers. */
  aloneUntil: number
}

/**
 * Shares out connections over all hosts, by one script in Redis. Without Redis a host cannot know what the others do, so it
 * keeps to one connection per target at the slowest rate, and to the suspensions it has seen. What it did meanwhile it tells
 * Redis with the next lease.
 */
export function openPace(options: Options): Pace {
  options.redis.defineCommand('keepPace', { lua: SCRIPT })
  const { now = () => performance.now(), leaseMs = PACE.leaseMs } = options
  const own = {
    id: randomUUID(),
    leasesAsked: 0,
    recall: openMemory(now),
    alone: openLocalPace({ now }),
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
      const boundedMs = Math.max(1, Math.ceil(Math.min(forMs, PACE.suspendMaxMs)))
      host.log.info({ ...named(target), reason, forMs: boundedMs }, 'a mail site turned us away')
      remember(host.recall(target), { until: now() + boundedMs, since: now(), reason })
      await tell(host, [target], 'suspend', { reason, forMs: boundedMs })
    },
  }
}

/** Undefined when Redis does not answer. That is no reason to stop, so nothing is thrown. */
async function tell(host: Host, targets: Target[], decision: Decision, ask: object): Promise<Answer | undefined> {
  try {
    const text = JSON.stringify({ ...PACE, ...ask })
    const keys = targets.map((target) => paceKey(host.prefix, target))
    const answer = await host.redis.keepPace(keys.length, ...keys, decision, text)
    if (host.aloneUntil !== 0) host.log.info('redis is back, and with it the pace of all hosts')
    host.aloneUntil = 0
    return answer
  } catch (error) {
    if (host.aloneUntil === 0) host.log.warn({ err: error }, 'redis is away: one connection per mail site')
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

async function leaseShared(host: Host, targets: Target[], id: string): Promise<Lease | Hold | undefined> {
  const known = targets.map((target) => host.recall(target))
  // All that the host remembers is dated from before it asked, so that its memory never outlasts that of Redis.
  const askedAt = host.now()
  const untold = known.map((one) => one.untold)
  const told = targets.map(({ habits }, n) => {
    const one = known[n] as Known
    one.untold = 0
    return { ...limitsOf(habits), ...asTold(one, askedAt), refused: untold[n] }
  })
  const answer = await tell(host, targets, 'lease', { targets: told, id, leaseMs: host.leaseMs })
  if (answer === undefined) {
    for (const [n, one] of known.entries()) one.untold += untold[n] ?? 0
    // It may be granted yet, to no holder.
    for (const target of targets) void tell(host, [target], 'release', { id, refused: 0 })
    return undefined
  }
  const [what, amount, which = 1] = answer
  const of = which === 2 ? 'destination' : 'site'
  if (what === 'suspended') {
    remember(known[which - 1] as Known, { until: askedAt + amount, since: askedAt, reason: 'as_told' })
  }
  if (what !== 'lease') return hold(what as Hold['why'], amount, of)
  const granted = answer.slice(1).map((errors) => (Number(errors) < 0 ? Number.POSITIVE_INFINITY : Number(errors)))
  const leases = targets.map((target, n) =>
    keep(host, target, { id, errorsMax: granted[n] ?? Number.POSITIVE_INFINITY, since: askedAt }),
  )
  if (known.every(({ aloneAt }) => aloneAt < askedAt)) return join(leases)
  // Another question went unanswered meanwhile and got a connection that Redis did not count when it granted this one.
  await Promise.all(leases.map((lease) => lease.release({ refused: 0 })))
  return hold('connections', 60_000 / (targets[0] as Target).habits.connectionsPerMinute)
}

function join([lease, destination]: Lease[]): Lease {
  return { ...(lease as Lease), ...(destination && { destination }) }
}

function limitsOf(habits: PaceLimits) {
  const { connectionsPerEgress, connectionsPerMinute, errorsPerHour } = habits
  return {
    connectionsPerEgress,
    connectionsPerMinute,
    errorsPerHour,
    errorsOnConnection: errorsOnConnectionMax(habits),
  }
}

async function leaseAlone(host: Host, targets: Target[], id: string): Promise<Lease | Hold> {
  const since = host.now()
  for (const [n, target] of targets.entries()) {
    const of = n === 0 ? 'site' : 'destination'
    const { suspension, leases } = host.recall(target)
    if (suspension.until > since) return hold('suspended', suspension.until - since, of)
    if (leases.size > 0) return hold('connections', 60_000 / limitsAlone(target.habits).connectionsPerMinute, of)
  }
  const [target, destination] = targets.map((one) => ({ ...one, habits: limitsAlone(one.habits) }))
  const alone = await host.alone.lease(target as Target, destination)
  if (alone.kind === 'hold') return alone
  const leases = [alone, ...(alone.destination ? [alone.destination] : [])]
  return join(
    leases.map((lease, n) => {
      const of = targets[n] as Target
      host.recall(of).aloneAt = since
      return keep(host, of, { id, errorsMax: lease.errorsMax, since, alone: lease })
    }),
  )
}

/** What is left of a target's habits for a host that cannot see the others. */
function limitsAlone(habits: PaceLimits): PaceLimits {
  return {
    ...habits,
    connectionsPerEgress: 1,
    connectionsPerMinute: (habits.connectionsPerMinute * PACE.levelMin) / PACE.levelMax,
    errorsPerHour: habits.errorsPerHour === null ? null : Math.max(1, Math.floor(habits.errorsPerHour / 10)),
  }
}

function hold(why: Hold['why'], waitMs: number, of: Hold['of'] = 'site'): Hold {
  return { kind: 'hold', why, retryAfterMs: Math.max(1, Math.ceil(waitMs)), of }
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
      // Without a budget there is nothing to count them against.
      const refused = target.habits.errorsPerHour === null ? 0 : report.refused
      const known = host.recall(target)
      known.leases.delete(id)
      await alone?.release({ refused })
      const answer = await tell(host, [target], 'release', { id, refused })
      if (answer === undefined) known.untold += refused
    },
  }
}
