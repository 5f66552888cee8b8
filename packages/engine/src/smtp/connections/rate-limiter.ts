import type { ProviderLimits } from '../providers/limits.ts'
import type { Reason } from '../replies/rules.ts'

/** The limits that apply to a target. */
export type RateLimits = Pick<
  ProviderLimits,
  'connectionsPerEgress' | 'connectionsPerMinute' | 'errorsPerConnection' | 'errorsByFamily' | 'errorsPerHour'
>

/** The target whose limits a connection counts against: the mail hosts of one operator, from one of our egresses. */
export type Target = {
  /** The name of the egress. */
  egress: string
  /** The provider's id, or a key for the set of mail hosts if the provider is unknown. */
  site: string
  limits: RateLimits
}

/** Permission for one connection. It expires if its holder stops without releasing it. */
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
  /** Whether the limit is that of the site or of the destination. */
  of: 'site' | 'destination'
}

/** Constants for every target, the same for one process and for all hosts together. */
export const RATE_LIMITER = {
  /** A lease that is not released by then counts as lost. No connection may last longer. */
  leaseMs: 90_000,
  /** Rejected recipients are counted in slots of five minutes. The current slot and the twelve before it cover the last hour. */
  slotMs: 300_000,
  slotsInHour: 13,
  /** In permille: the share of its connections and of its rate that a target gets. */
  levelMin: 100,
  levelMax: 1_000,
  /** The share that it regains for each hour without a rate-limited reply. */
  levelGain: 100,
  gainEveryMs: 3_600_000,
  /** Rate-limited replies in one burst, over several connections, count once. */
  slowDownOnceMs: 10_000,
  /** The longest suspension, whatever wait a server's reply names. */
  suspendMaxMs: 86_400_000,
  /** The state of a target that is unused for this long is discarded, except a suspension, which lasts until its end. */
  forgetMs: 7_200_000,
}

/** The most recipients that may be rejected on one connection, for any server family that may be met. */
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
