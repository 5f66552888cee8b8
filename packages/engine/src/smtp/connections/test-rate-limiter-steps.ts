import type { ProviderLimits } from '../providers/limits.ts'
import type { Throttle } from './rate-limiter.ts'

export type Step =
  /** A lease is granted, stored under this name, with this rejection budget. */
  | ['lease', name: string, errorsMax?: number]
  /** No lease is granted: the reason, the bounds of the retry delay, and whose limit it is. */
  | ['throttle', why: Throttle['why'], minMs: number, maxMs: number, of?: Throttle['of']]
  | ['release', name: string, refused: number]
  /** This many connections are granted at once. All are released. */
  | ['connections', count: number]
  | ['slow_down']
  | ['suspend', forMs: number]
  | ['pass', ms: number]
  /** The following steps use another target. */
  | ['at', egress: string, site: string]
  /** The following leases also need this destination, which has two connections. */
  | ['to', destination: string]

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** High enough that the rate delays no connection once a second has passed. */
const OFTEN = 60_000

/** The behavior of every rate limiter, in one process or over all hosts. Bounds allow for some seconds on a busy machine. */
export const RATE_LIMITER_STEPS: { promise: string; limits: Partial<ProviderLimits>; steps: Step[] }[] = [
  {
    promise: 'grants leases up to the connection limit of a target, and again after a release',
    limits: { connectionsPerEgress: 2, connectionsPerMinute: OFTEN },
    steps: [
      ['lease', 'first'],
      ['lease', 'second'],
      ['throttle', 'connections', 1, SECOND],
      ['release', 'first', 0],
      ['pass', SECOND],
      ['lease', 'third'],
      ['throttle', 'connections', 1, SECOND],
    ],
  },
  {
    promise: 'ignores a second release of a lease',
    limits: { connectionsPerEgress: 2, connectionsPerMinute: OFTEN, errorsPerHour: 6 },
    steps: [
      ['lease', 'first', 3],
      ['lease', 'second', 3],
      ['release', 'first', 1],
      ['pass', SECOND],
      ['lease', 'third', 2],
      ['release', 'first', 1],
      ['throttle', 'connections', 1, SECOND],
      ['release', 'third', 0],
      ['pass', SECOND],
      ['lease', 'fourth', 2],
    ],
  },
  {
    promise: 'counts each egress and each site separately',
    limits: { connectionsPerEgress: 1, connectionsPerMinute: 6 },
    steps: [
      ['lease', 'here'],
      ['throttle', 'connections', 1, 10 * SECOND],
      ['at', 'other-egress', 'site'],
      ['lease', 'from elsewhere'],
      ['at', 'egress', 'other-site'],
      ['lease', 'to elsewhere'],
      ['suspend', MINUTE],
      ['at', 'other-egress', 'other-site'],
      ['lease', 'elsewhere altogether'],
    ],
  },
  {
    promise: 'grants leases at the rate after an initial burst of the connection limit',
    limits: { connectionsPerEgress: 2, connectionsPerMinute: 6 },
    steps: [
      ['lease', 'first'],
      ['release', 'first', 0],
      ['lease', 'second'],
      ['release', 'second', 0],
      ['throttle', 'rate', 5 * SECOND, 10 * SECOND],
      ['pass', 10 * SECOND],
      ['lease', 'third'],
      ['release', 'third', 0],
      ['throttle', 'rate', 5 * SECOND, 10 * SECOND],
      ['pass', 10 * MINUTE],
      ['lease', 'fourth'],
      ['release', 'fourth', 0],
      ['lease', 'fifth'],
      ['release', 'fifth', 0],
      ['throttle', 'rate', 5 * SECOND, 10 * SECOND],
    ],
  },
  {
    promise: 'expires a lost lease and ignores its late release',
    limits: { connectionsPerEgress: 1, connectionsPerMinute: OFTEN },
    steps: [
      ['lease', 'lost'],
      ['pass', 80 * SECOND],
      ['throttle', 'connections', 1, 10 * SECOND],
      ['pass', 10 * SECOND],
      ['lease', 'next'],
      ['release', 'lost', 0],
      ['throttle', 'connections', 1, SECOND],
    ],
  },
  {
    promise: 'limits rejections per hour, and grants more when they are an hour old',
    limits: { connectionsPerEgress: 2, connectionsPerMinute: OFTEN, errorsPerHour: 4 },
    steps: [
      ['lease', 'first', 2],
      ['lease', 'second', 2],
      ['release', 'first', 2],
      ['release', 'second', 2],
      ['throttle', 'budget', 59 * MINUTE, 65 * MINUTE],
      ['pass', 55 * MINUTE],
      ['throttle', 'budget', 4 * MINUTE, 10 * MINUTE],
      ['pass', 10 * MINUTE],
      ['lease', 'third', 2],
    ],
  },
  {
    promise: 'reports when the first rejection is an hour old',
    limits: { connectionsPerEgress: 1, connectionsPerMinute: OFTEN, errorsPerHour: 4 },
    steps: [
      ['lease', 'early', 4],
      ['release', 'early', 1],
      ['pass', 30 * MINUTE],
      ['lease', 'late', 3],
      ['release', 'late', 3],
      ['throttle', 'budget', 29 * MINUTE, 35 * MINUTE],
      ['pass', 35 * MINUTE],
      ['lease', 'again', 1],
      ['release', 'again', 1],
      ['throttle', 'budget', 24 * MINUTE, 30 * MINUTE],
    ],
  },
  {
    promise: 'never grants the same rejection to two leases',
    limits: { connectionsPerEgress: 2, connectionsPerMinute: OFTEN, errorsPerHour: 3 },
    steps: [
      ['lease', 'first', 1],
      ['lease', 'second', 2],
      ['release', 'first', 1],
      ['pass', SECOND],
      ['throttle', 'budget', 1, SECOND],
      ['release', 'second', 1],
      ['lease', 'third', 1],
      ['throttle', 'budget', 1, SECOND],
    ],
  },
  {
    promise: 'grants a lease no more rejections than the target tolerates per connection',
    limits: { connectionsPerEgress: 2, errorsPerHour: 200, errorsPerConnection: 4 },
    steps: [['lease', 'first', 4]],
  },
  {
    promise: 'grants as many rejections as the most tolerant server family allows when the family is unknown',
    limits: { connectionsPerEgress: 2, errorsPerHour: 200, errorsPerConnection: 4, errorsByFamily: { postfix: 9 } },
    steps: [['lease', 'first', 9]],
  },
  {
    promise: 'counts all rejections that were granted to a lost lease',
    limits: { connectionsPerEgress: 1, connectionsPerMinute: OFTEN, errorsPerHour: 4, errorsPerConnection: 3 },
    steps: [
      ['lease', 'lost', 3],
      ['pass', 90 * SECOND],
      ['lease', 'next', 1],
      ['release', 'next', 1],
      ['throttle', 'budget', 55 * MINUTE, 65 * MINUTE],
    ],
  },
  {
    promise: 'counts no rejections when the target has no hourly budget',
    limits: { connectionsPerEgress: 1, connectionsPerMinute: OFTEN, errorsPerHour: null },
    steps: [
      ['lease', 'first', Number.POSITIVE_INFINITY],
      ['release', 'first', 10_000],
      ['pass', SECOND],
      ['lease', 'second', Number.POSITIVE_INFINITY],
      ['pass', 90 * SECOND],
      ['lease', 'third', Number.POSITIVE_INFINITY],
    ],
  },
  {
    promise: 'suspends a target until the end of its longest suspension',
    limits: { connectionsPerEgress: 2 },
    steps: [
      ['suspend', 10 * MINUTE],
      ['throttle', 'suspended', 9 * MINUTE, 10 * MINUTE],
      ['suspend', MINUTE],
      ['throttle', 'suspended', 9 * MINUTE, 10 * MINUTE],
      ['suspend', 20 * MINUTE],
      ['pass', 15 * MINUTE],
      ['throttle', 'suspended', 4 * MINUTE, 5 * MINUTE],
      ['pass', 5 * MINUTE],
      ['lease', 'first'],
    ],
  },
  {
    promise: 'keeps a long suspension, limited to a day',
    limits: { connectionsPerEgress: 2 },
    steps: [
      ['suspend', 1_000 * HOUR],
      ['pass', 20 * HOUR],
      ['throttle', 'suspended', 3 * HOUR, 4 * HOUR],
      ['pass', 4 * HOUR],
      ['lease', 'first'],
    ],
  },
  {
    promise:
      'halves the limit after a rate-limited reply, counts a burst once, and regains a tenth per hour without one',
    limits: { connectionsPerEgress: 10, connectionsPerMinute: OFTEN },
    steps: [
      ['connections', 10],
      ['slow_down'],
      ['slow_down'],
      ['connections', 5],
      ['pass', 10 * SECOND],
      ['slow_down'],
      ['connections', 2],
      ['pass', 10 * SECOND],
      ['slow_down'],
      ['connections', 1],
      ['pass', 10 * SECOND],
      ['slow_down'],
      ['pass', HOUR],
      ['connections', 2],
      ['pass', HOUR],
      ['connections', 3],
      ['slow_down'],
      ['connections', 1],
      ...[2, 3, 4, 5, 6, 7, 8, 9, 10, 10].flatMap((count): Step[] => [
        ['pass', HOUR],
        ['connections', count],
      ]),
    ],
  },
  {
    promise: 'a lease is granted for a site and its destination together, or for neither',
    limits: { connectionsPerEgress: 3, connectionsPerMinute: OFTEN },
    steps: [
      ['to', '[192.0.2.1]'],
      ['lease', 'first'],
      ['lease', 'second'],
      ['throttle', 'connections', 1, SECOND, 'destination'],
      ['throttle', 'connections', 1, SECOND, 'destination'],
      ['to', '[192.0.2.2]'],
      ['lease', 'third'],
      ['throttle', 'connections', 1, SECOND, 'site'],
      ['release', 'third', 0],
      ['pass', SECOND],
      ['at', 'egress', 'other-site'],
      ['to', '[192.0.2.1]'],
      ['throttle', 'connections', 1, SECOND, 'destination'],
      ['release', 'first', 0],
      ['pass', SECOND],
      ['lease', 'fourth'],
      ['throttle', 'connections', 1, SECOND, 'destination'],
    ],
  },
  {
    promise: 'a destination without a budget does not change the budget of the site',
    limits: { connectionsPerEgress: 1, connectionsPerMinute: OFTEN, errorsPerHour: 4 },
    steps: [
      ['to', '[192.0.2.1]'],
      ['lease', 'first', 4],
      ['release', 'first', 4],
      ['pass', SECOND],
      ['throttle', 'budget', 55 * MINUTE, 65 * MINUTE, 'site'],
      ['at', 'egress', 'other-site'],
      ['lease', 'second', 4],
    ],
  },
  {
    promise: 'reduces the rate by the same factor',
    limits: { connectionsPerEgress: 2, connectionsPerMinute: 6 },
    steps: [['slow_down'], ['lease', 'first'], ['release', 'first', 0], ['throttle', 'rate', 15 * SECOND, 20 * SECOND]],
  },
  {
    promise: 'discards the state of an unused target',
    limits: { connectionsPerEgress: 10, connectionsPerMinute: OFTEN },
    steps: [['slow_down'], ['pass', 2 * HOUR], ['connections', 10]],
  },
]
