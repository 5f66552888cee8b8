import type { ProviderLimits } from '../providers/limits.ts'
import type { Reason } from '../replies/rules.ts'

/** The limits that are kept for a target. */
export type RateLimits = Pick<
  ProviderLimits,
  'connectionsPerEgress' | 'connectionsPerMinute' | 'errorsPerConnection' | 'errorsByFamily' | 'errorsPerHour'
>

/** Whose limits a connection counts against: the mail hosts of one operator, seen from one of our addresses. */
export type Target = {
  /** The name of the egress. */
  egress: string
  /** The provider's id, or a key for the set of mail hosts where the provider is not known. */
  site: string
  limits: RateLimits
}

/** Permission for one connection. It expires when its holder stops without releasing it. */
export type Lease = {
  kind: 'lease'
  /** How many recipients may be rejected on it before the hourly budget is used up; Infinity if rejections are not counted. */
  errorsMax: number
  /** Releases it, once, with the number of recipients that were rejected meanwhile. */
  release(report: { refused: number }): Promise<void>
  /** The lease of the destination that was requested with it. It is released separately. */
  destination?: Lease
}

/** No lease now, and when to request it again. */
export type Throttle = {
  kind: 'throttle'
  why: 'connections' | 'rate' | 'budget' | 'suspended'
  retryAfterMs: number
  /** Whose limit it is. */
  of: 'site' | 'destination'
}

/** Numbers that hold for every target, in one process as over all hosts. */
export const RATE_LIMITER = {
  /** A lease that is not released by then has lost its holder. No connection may last longer. */
  leaseMs: 90_000,
  /** Refused recipients are counted by slots of five minutes. The running slot and twelve before it always hold the last hour. */
  slotMs: 300_000,
  slotsInHour: 13,
  /** In permille: how much of its connections and of its rate a target gets. */
  levelMin: 100,
  levelMax: 1_000,
  /** What it gets back for each hour in which the server did not complain. */
  levelGain: 100,
  gainEveryMs: 3_600_000,
  /** Complaints that come in one burst, over several connections, count once. */
  slowDownOnceMs: 10_000,
  /** No server's word keeps us away for longer. */
  suspendMaxMs: 86_400_000,
  /** Nothing is remembered of a target that was not used for so long, but a suspension to its end. */
  forgetMs: 7_200_000,
}

/** The most recipients that may be refused on one connection, whatever kind of server turns up there. */
export function errorsOnConnectionMax({ errorsPerConnection, errorsByFamily = {} }: RateLimits): number {
  return Math.max(errorsPerConnection, ...Object.values(errorsByFamily))
}

/** Grants connections, so that all workers together stay within the limits of a provider. */
export type ProviderRateLimiter = {
  /**
   * A lease for a connection to the target, and at the same time one for its destination where that has limits of its own: the address that
   * is connected to, or the provider that runs it. Both are granted, or neither.
   */
  lease(target: Target, destination?: Target): Promise<Lease | Throttle>
  /** After a rate-limited reply: the target gets fewer connections for some time. */
  slowDown(target: Target): Promise<void>
  /** After a block: no connections from this egress to the target until the time is over. */
  suspend(target: Target, reason: Reason, forMs: number): Promise<void>
}
