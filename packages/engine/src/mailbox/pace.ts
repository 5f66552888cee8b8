import type { Habits } from './habits.ts'
import type { Reason } from './reply.ts'

/** The limits that are kept for a target. */
export type PaceLimits = Pick<
  Habits,
  'connectionsPerEgress' | 'connectionsPerMinute' | 'errorsPerConnection' | 'errorsByFamily' | 'errorsPerHour'
>

/** Whose limits a connection counts against: the mail hosts of one operator, seen from one of our addresses. */
export type Target = {
  /** The name of the egress. */
  egress: string
  /** The provider's id, or a key for the set of mail hosts where the provider is not known. */
  site: string
  habits: PaceLimits
}

/** Leave to hold one connection. It ends by itself when its holder dies. */
export type Lease = {
  kind: 'lease'
  /** How many recipients may be refused on it before the hour's budget is used up; Infinity where none is counted. */
  errorsMax: number
  /** Gives it back, once, and says how many recipients were refused meanwhile. */
  release(report: { refused: number }): Promise<void>
  /** The lease of the destination that was asked for with it. It is released by itself. */
  destination?: Lease
}

/** No leave now, and when to ask again. */
export type Hold = {
  kind: 'hold'
  why: 'connections' | 'rate' | 'budget' | 'suspended'
  retryAfterMs: number
  /** Whose limit it is. */
  of: 'site' | 'destination'
}

/** Numbers that hold for every target, in one process as over all hosts. */
export const PACE = {
  /** A lease that is not given back by then has lost its holder. No conversation may last longer. */
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
export function errorsOnConnectionMax({ errorsPerConnection, errorsByFamily = {} }: PaceLimits): number {
  return Math.max(errorsPerConnection, ...Object.values(errorsByFamily))
}

/** Shares out connections, so that all hosts together stay within what a provider bears. */
export type Pace = {
  /**
   * A lease for a connection to the target, and at the same time one for its destination where that has limits of its own: the address that
   * is connected to, or the provider that runs it. Both are granted, or neither.
   */
  lease(target: Target, destination?: Target): Promise<Lease | Hold>
  /** The server said to go slower: the target gets less for a while. */
  slowDown(target: Target): Promise<void>
  /** The server turned us away: nobody asks the target from this egress until the time is over. */
  suspend(target: Target, reason: Reason, forMs: number): Promise<void>
}
