import { createLruCache } from '@probity/concurrency/lru-cache'

/**
 * So many requests in so many seconds, under a name that the RateLimit headers use. `shareMin` is what one process grants at least
 * when it has to count for itself: a tenth of a small quota would be nothing.
 */
export type RatePolicy = { name: string; quota: number; windowS: number; shareMin?: number }

/** What a policy said to one request. */
export type RateState = { policy: RatePolicy; allowed: boolean; remaining: number; resetS: number; retryAfterS: number }

/** RateLimit and RateLimit-Policy as structured fields (draft-ietf-httpapi-ratelimit-headers-10). */
export function rateHeaders({ policy, remaining, resetS }: RateState): Record<string, string> {
  return {
    'ratelimit-policy': `"${policy.name}";q=${policy.quota};w=${policy.windowS}`,
    ratelimit: `"${policy.name}";r=${remaining};t=${resetS}`,
  }
}

/** Turns the answer of the generic cell rate algorithm, in microseconds, into what a caller is told. */
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
  /** Says how the partition stands and counts nothing. */
  look(partition: string, policy: RatePolicy): RateState
}

/** The same algorithm as the Redis script, within one process: for callers without an account, and while Redis is away. */
export function openLocalRate(now: () => number = () => performance.now() * 1e3): LocalRate {
  /** At the limit, partitions without requests for the longest time are removed: their quota is full again by then, or starts again. */
  const fullAt = createLruCache<string, number>(PARTITIONS_MAX)

  function judge(partition: string, policy: RatePolicy, cost: number): RateState {
    const time = now()
    const before = Math.max(time, fullAt.get(partition) ?? 0)
    const after = before + (cost * policy.windowS * 1e6) / policy.quota
    const waitUs = after - policy.windowS * 1e6 - time
    // Below a microsecond it is the rounding of a clock with fractions, which would refuse the first request of a quota of one.
    if (waitUs >= 1) return readRate(policy, false, before - time, waitUs)
    if (cost > 0) fullAt.set(partition, after)
    return readRate(policy, true, after - time, 0)
  }

  return {
    take: (partition, policy) => judge(partition, policy, 1),
    look: (partition, policy) => judge(partition, policy, 0),
  }
}
