import { createLruLookup } from '@probity/concurrency/lru-cache'
import {
  errorsOnConnectionMax,
  type Lease,
  type ProviderRateLimiter,
  RATE_LIMITER,
  type RateLimits,
  type Target,
  type Throttle,
} from './rate-limiter.ts'
import type { TimeFactor } from './time-factor.ts'

/** State of one target. Times are those of `now`. */
type State = {
  usedAt: number
  /** Each with the rejections that were granted to it; 0 if rejections are not counted. */
  leases: Map<symbol, { endsAt: number; promised: number }>
  /** When the allowance of the rate is full again, as in the generic cell rate algorithm. */
  fullAt: number
  /** Rejected recipients by slot. */
  refused: Map<number, number>
  level: number
  slowedAt: number
  suspendedUntil: number
}

/** A few hundred bytes each. */
const TARGETS_MAX = 50_000

/** Limits the connections of this process alone. With a time factor, its clock is faster than that of its callers. */
export function createLocalRateLimiter({
  now: realNow = () => performance.now(),
  timeFactor = 1,
}: TimeFactor & { now?: () => number } = {}): ProviderRateLimiter {
  const now = () => realNow() * timeFactor
  const recall = createLruLookup(TARGETS_MAX, newState)

  function stateOf({ egress, site }: Target): State {
    const state = recall(JSON.stringify([egress, site]))
    if (isForgotten(state, now())) Object.assign(state, newState())
    state.usedAt = now()
    return state
  }

  function look(target: Target) {
    const state = stateOf(target)
    endLapsed(state, now())
    return { state, decision: decide(state, target.limits, now()) }
  }

  return {
    async lease(target, destination) {
      const [own, beyond] = [look(target), destination && look(destination)]
      const wait = (decision: Throttle): Throttle => ({
        ...decision,
        retryAfterMs: Math.ceil(decision.retryAfterMs / timeFactor),
      })
      if (own.decision.kind === 'throttle') return wait(own.decision)
      if (beyond?.decision.kind === 'throttle') return { ...wait(beyond.decision), of: 'destination' }
      const lease = grant(own.state, own.decision, now)
      return beyond ? { ...lease, destination: grant(beyond.state, beyond.decision as Grant, now) } : lease
    },
    async slowDown(target) {
      const state = stateOf(target)
      if (now() - state.slowedAt < RATE_LIMITER.slowDownOnceMs) return
      state.level = Math.max(RATE_LIMITER.levelMin, Math.floor(levelOf(state, now()) / 2))
      state.slowedAt = now()
    },
    async suspend(target, _reason, forMs) {
      const state = stateOf(target)
      state.suspendedUntil = Math.max(
        state.suspendedUntil,
        now() + Math.min(forMs * timeFactor, RATE_LIMITER.suspendMaxMs),
      )
    },
  }
}

function newState(): State {
  const never = Number.NEGATIVE_INFINITY
  const counts = { leases: new Map(), refused: new Map() }
  return {
    ...counts,
    usedAt: never,
    fullAt: never,
    level: RATE_LIMITER.levelMax,
    slowedAt: never,
    suspendedUntil: never,
  }
}

function isForgotten({ usedAt, suspendedUntil }: State, now: number): boolean {
  return usedAt + RATE_LIMITER.forgetMs <= now && suspendedUntil <= now
}

/** The rejections of an expired lease are unknown, so all that were granted count. */
function endLapsed(state: State, now: number): void {
  for (const [id, { endsAt, promised }] of state.leases) {
    if (endsAt > now) continue
    state.leases.delete(id)
    countRefused(state, promised, now)
  }
}

function countRefused({ refused }: State, count: number, now: number): void {
  const slot = Math.floor(now / RATE_LIMITER.slotMs)
  refused.set(slot, (refused.get(slot) ?? 0) + count)
}

type Grant = { kind: 'grant'; errorsMax: number; fullAt: number }

/** The longest wait is reported first, so that no client retries too early. */
function decide(state: State, limits: RateLimits, now: number): Throttle | Grant {
  if (state.suspendedUntil > now) return throttle('suspended', state.suspendedUntil - now)

  const budget = limits.errorsPerHour === null ? undefined : budgetOf(state, limits.errorsPerHour, now)
  if (budget !== undefined && budget.left < 1) return throttle('budget', budget.freeInMs)

  const level = levelOf(state, now) / RATE_LIMITER.levelMax
  const connections = Math.max(1, Math.floor(limits.connectionsPerEgress * level))
  const intervalMs = Math.ceil(60_000 / (limits.connectionsPerMinute * level))
  // It is unknown when a connection will be released. A request before the rate allows another connection is useless.
  const soonMs = Math.min(intervalMs, ...[...state.leases.values()].map(({ endsAt }) => endsAt - now))
  if (state.leases.size >= connections) return throttle('connections', soonMs)
  if (budget !== undefined && budget.left - budget.promised < 1) return throttle('budget', soonMs)

  const earlyMs = Math.max(0, state.fullAt - now) - (connections - 1) * intervalMs
  if (earlyMs > 0) return throttle('rate', earlyMs)
  const fullAt = Math.max(now, state.fullAt) + intervalMs
  if (budget === undefined) return { kind: 'grant', errorsMax: Number.POSITIVE_INFINITY, fullAt }

  const share = Math.floor((budget.left - budget.promised) / (connections - state.leases.size))
  return { kind: 'grant', errorsMax: Math.min(errorsOnConnectionMax(limits), Math.max(1, share)), fullAt }
}

function throttle(why: Throttle['why'], waitMs: number): Throttle {
  return { kind: 'throttle', why, retryAfterMs: Math.max(1, Math.ceil(waitMs)), of: 'site' }
}

/** The rest of the hourly rejection budget, the part that is granted to open leases, and when more becomes available. */
function budgetOf({ refused, leases }: State, perHour: number, now: number) {
  const oldest = Math.floor(now / RATE_LIMITER.slotMs) - RATE_LIMITER.slotsInHour + 1
  for (const slot of refused.keys()) if (slot < oldest) refused.delete(slot)

  const left = perHour - sum(refused.values())
  const promised = sum([...leases.values()].map((lease) => lease.promised))
  let freed = left
  for (const [slot, count] of [...refused].toSorted(([a], [b]) => a - b)) {
    freed += count
    if (freed >= 1) return { left, promised, freeInMs: (slot + RATE_LIMITER.slotsInHour) * RATE_LIMITER.slotMs - now }
  }
  return { left, promised, freeInMs: RATE_LIMITER.slotsInHour * RATE_LIMITER.slotMs }
}

function sum(counts: Iterable<number>): number {
  let total = 0
  for (const count of counts) total += count
  return total
}

function levelOf({ level, slowedAt }: State, now: number): number {
  if (level === RATE_LIMITER.levelMax) return level
  const hours = Math.floor((now - slowedAt) / RATE_LIMITER.gainEveryMs)
  return Math.min(RATE_LIMITER.levelMax, level + hours * RATE_LIMITER.levelGain)
}

function grant(state: State, { errorsMax, fullAt }: Grant, now: () => number): Lease {
  const id = Symbol('lease')
  state.fullAt = fullAt
  state.leases.set(id, {
    endsAt: now() + RATE_LIMITER.leaseMs,
    promised: Number.isFinite(errorsMax) ? errorsMax : 0,
  })
  let isHeld = true
  return {
    kind: 'lease',
    errorsMax,
    async release({ refused }) {
      if (!isHeld) return
      isHeld = false
      state.leases.delete(id)
      countRefused(state, refused, now())
    },
  }
}
