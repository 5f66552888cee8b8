import { createLruLookup } from '@probity/concurrency/lru-cache'
import type { Target } from '@probity/engine/smtp/connections/rate-limiter'
import type { Reason } from '@probity/engine/smtp/replies/rules'

/** What this host itself knows of a target: enough to be careful with while Redis is away, and to tell it afterwards. */
export type Known = {
  /** The connections it holds. */
  leases: Map<string, { endsAt: number; promised: number }>
  /** When it last took a connection without asking Redis. */
  aloneAt: number
  /** Refused recipients that Redis has not heard of. */
  untold: number
  suspension: { until: number; since: number; reason: Reason | 'as_told' }
}

/** Each is small, and those that matter are used all the time. */
const TARGETS_MAX = 10_000

/** What is known of the targets that were used last. */
export function openMemory(now: () => number): (target: Target) => Known {
  const recall = createLruLookup(TARGETS_MAX, newcomer)
  return ({ egress, site }) => {
    const known = recall(JSON.stringify([egress, site]))
    for (const [id, { endsAt }] of known.leases) if (endsAt <= now()) known.leases.delete(id)
    return known
  }
}

function newcomer(): Known {
  const never = Number.NEGATIVE_INFINITY
  return { leases: new Map(), aloneAt: never, untold: 0, suspension: { until: never, since: never, reason: 'as_told' } }
}

/** What Redis is told with every lease, in case that it was away or has lost its memory. */
export function asTold({ leases, suspension }: Known, now: number) {
  return {
    held: [...leases].map(([id, { endsAt, promised }]) => [id, Math.floor(endsAt - now), promised]),
    suspendedMs: Math.max(0, Math.floor(suspension.until - now)),
    suspendedAgoMs: suspension.until > now ? Math.max(0, Math.floor(now - suspension.since)) : 0,
    reason: suspension.reason,
  }
}
