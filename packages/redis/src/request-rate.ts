import { createLruCache } from '@probity/concurrency/lru-cache'

/**
 * A quota of requests in a window, with its name in the RateLimit headers. `shareMin` is the least that one process grants while it
 * counts for itself: its share of a small quota would be zero.
 */
export type RatePolicy = { name: string; quota: number; windowS: number; shareMin?: number }

/** The decision about one request, and the state of the quota after it. */
export type RateState = { policy: RatePolicy; allowed: boolean; remaining: number; resetS: number; retryAfterS: number }

/** Converts a decision of the generic cell rate algorithm, in microseconds. */
export function readRate(policy: RatePolicy, allowed: boolean, fullInUs: number, waitUs: number): RateState {
  const windowUs = policy.windowS * 1e6
  const free = Math.floor(((windowUs - fullInUs) * policy.quota) / windowUs)
  return {
    policy,
    allowed,
    remaining: Math.min(policy.quota, Math.max(0, free)),
    resetS: Math.ceil(fullInUs / 1e6),
    retryAfterS: allowed ? 0 : Math.max(1, Math.ceil(waitUs / 1e6)),
  }
}

const PARTITIONS_MAX = 50_000

export type LocalRate = {
  /** Counts one request of this partition against the policy. */
  take(partition: string, policy: RatePolicy): RateState
  /** Returns the state of the partition without counting a request. */
  look(partition: string, policy: RatePolicy): RateState
}

/** The algorithm of admission.lua within one process: for clients without an account, and while Redis is unavailable. */
export function createLocalRate(now: () => number = () => performance.now() * 1e3): LocalRate {
  /** At the limit, partitions without requests for the longest time are removed: their quota is full again by then, or starts again. */
  const fullAt = createLruCache<string, number>(PARTITIONS_MAX)

  function judge(partition: string, policy: RatePolicy, cost: number): RateState {
    const time = now()
    const before = Math.max(time, fullAt.get(partition) ?? 0)
    const after = before + (cost * policy.windowS * 1e6) / policy.quota
    const waitUs = after - policy.windowS * 1e6 - time
    // Less than a microsecond is a rounding error of the clock, which would reject the first request of a quota of one.
    if (waitUs >= 1) return readRate(policy, false, before - time, waitUs)
    if (cost > 0) fullAt.set(partition, after)
    return readRate(policy, true, after - time, 0)
  }

  return {
    take: (partition, policy) => judge(partition, policy, 1),
    look: (partition, policy) => judge(partition, policy, 0),
  }
}
