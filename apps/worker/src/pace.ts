import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Habits } from '@probity/engine/mailbox/habits'
import { openLocalPace } from '@probity/engine/mailbox/local-pace'
import {
  errorsOnConnectionMax,
  type Hold,
  type Lease,
  PACE,
  type Pace,
  type Target,
} from '@probity/engine/mailbox/pace'
import { paceKey } from '@probity/queue/pace-key'
import type { Redis, Result } from 'ioredis'
import type { Logger } from 'pino'
import { asTold, type Known, openMemory } from './pace-memory.ts'

type Decision = 'lease' | 'release' | 'slow_down' | 'suspend'
type Answer = ['lease' | 'done' | Hold['why'], number]

declare module 'ioredis' {
  interface RedisCommander<Context> {
    keepPace(key: string, decision: Decision, ask: string): Result<Answer, Context>
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
  options.redis.defineCommand('keepPace', { lua: SCRIPT, numberOfKeys: 1 })
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
    async lease(target) {
      host.leasesAsked += 1
      const id = `${host.id}:${host.leasesAsked}`
      const shared = now() < host.aloneUntil ? undefined : await leaseShared(host, target, id)
      return shared ?? leaseAlone(host, target, id)
    },
    async slowDown(target) {
      await tell(host, target, 'slow_down', {})
    },
    async suspend(target, reason, forMs) {
      const boundedMs = Math.max(1, Math.ceil(Math.min(forMs, PACE.suspendMaxMs)))
      host.log.info({ ...named(target), reason, forMs: boundedMs }, 'a mail site turned us away')
      remember(host.recall(target), now() + boundedMs, reason)
      await tell(host, target, 'suspend', { reason, forMs: boundedMs })
    },
  }
}

/** Undefined when Redis does not answer. That is no reason to stop, so nothing is thrown. */
async function tell(host: Host, target: Target, decision: Decision, ask: object): Promise<Answer | undefined> {
  try {
    const text = JSON.stringify({ ...PACE, ...ask })
    const answer = await host.redis.keepPace(paceKey(host.prefix, target), decision, text)
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

function remember({ suspension }: Known, until: number, reason: Known['suspension']['reason']): void {
  if (until > suspension.until) Object.assign(suspension, { until, reason })
}

async function leaseShared(host: Host, target: Target, id: string): Promise<Lease | Hold | undefined> {
  const known = host.recall(target)
  // All that the host remembers is dated from before it asked, so that its memory never outlasts that of Redis.
  const askedAt = host.now()
  const { untold } = known
  known.untold = 0
  const ask = { ...limitsOf(target.habits), ...asTold(known, askedAt), refused: untold, id, leaseMs: host.leaseMs }
  const answer = await tell(host, target, 'lease', ask)
  if (answer === undefined) {
    known.untold += untold
    void tell(host, target, 'release', { id, refused: 0 }) // it may be granted yet, to nobody
    return undefined
  }
  const [what, amount] = answer
  if (what === 'suspended') remember(known, askedAt + amount, 'as_told')
  if (what !== 'lease') return hold(what as Hold['why'], amount)

  const lease = keep(host, target, { id, errorsMax: amount < 0 ? Number.POSITIVE_INFINITY : amount, since: askedAt })
  if (known.aloneAt < askedAt) return lease
  // Another question went unanswered meanwhile and got a connection that Redis did not count when it granted this one.
  await lease.release({ refused: 0 })
  return hold('connections', 60_000 / target.habits.connectionsPerMinute)
}

function limitsOf(habits: Habits) {
  const { connectionsPerEgress, connectionsPerMinute, errorsPerHour } = habits
  return {
    connectionsPerEgress,
    connectionsPerMinute,
    errorsPerHour,
    errorsOnConnection: errorsOnConnectionMax(habits),
  }
}

async function leaseAlone(host: Host, target: Target, id: string): Promise<Lease | Hold> {
  const known = host.recall(target)
  const since = host.now()
  if (known.suspension.until > since) return hold('suspended', known.suspension.until - since)
  const habits = habitsAlone(target.habits)
  if (known.leases.size > 0) return hold('connections', 60_000 / habits.connectionsPerMinute)
  const lease = await host.alone.lease({ ...target, habits })
  if (lease.kind === 'hold') return lease
  known.aloneAt = since
  return keep(host, target, { id, errorsMax: lease.errorsMax, since, alone: lease })
}

/** What is left of a target's habits for a host that cannot see the others. */
function habitsAlone(habits: Habits): Habits {
  return {
    ...habits,
    connectionsPerEgress: 1,
    connectionsPerMinute: (habits.connectionsPerMinute * PACE.levelMin) / PACE.levelMax,
    errorsPerHour: habits.errorsPerHour === null ? null : Math.max(1, Math.floor(habits.errorsPerHour / 10)),
  }
}

function hold(why: Hold['why'], waitMs: number): Hold {
  return { kind: 'hold', why, retryAfterMs: Math.max(1, Math.ceil(waitMs)) }
}

type Granted = { id: string; errorsMax: number; since: number; alone?: Lease }

function keep(host: Host, target: Target, { id, errorsMax, since, alone }: Granted): Lease {
  const promised = Number.isFinite(errorsMax) ? errorsMax : 0
  host.recall(target).leases.set(id, { endsAt: since + host.leaseMs, promised })
  let isHeld = true
  return {
    kind: 'lease',
    errorsMax,
    async release({ refused }) {
      if (!isHeld) return
      isHeld = false
      const known = host.recall(target)
      known.leases.delete(id)
      await alone?.release({ refused })
      const answer = await tell(host, target, 'release', { id, refused })
      if (answer === undefined) known.untold += refused
    },
  }
}
