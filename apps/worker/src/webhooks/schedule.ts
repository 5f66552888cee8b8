import type { KeyMode } from '@probity/contract/constants/keys'

const MINUTE_S = 60
const HOUR_S = 60 * MINUTE_S

/**
 * How long after each failed try the next one comes. The first ones are for a receiver that is being deployed, those of hours for
 * one that somebody has to repair, and together they reach over a weekend: ten tries within 75 hours.
 */
const DELAYS_S = [
  5,
  1 * MINUTE_S,
  5 * MINUTE_S,
  30 * MINUTE_S,
  2 * HOUR_S,
  6 * HOUR_S,
  12 * HOUR_S,
  24 * HOUR_S,
  30 * HOUR_S,
]

export const TRIES_MAX = DELAYS_S.length + 1

/** Up to so much more or less, so that what failed together does not come back together. */
const JITTER = 0.2

/** Who tries out how a receiver bears failures does not want to wait for days. */
const TEST_MODE_FASTER = 20

/** A receiver may ask for more time than the table gives it, but not for all the time there is. */
const RETRY_AFTER_MAX_S = 1 * HOUR_S

/** After how long a delivery that failed so many times is tried again; undefined where it is given up. */
export function delayAfter(tries: number, mode: KeyMode, retryAfterS = 0): number | undefined {
  const delayS = DELAYS_S[tries - 1]
  if (delayS === undefined) return undefined
  const jitter = 1 + JITTER * (2 * Math.random() - 1)
  const scheduledS = (delayS * jitter) / (mode === 'test' ? TEST_MODE_FASTER : 1)
  return 1000 * Math.max(scheduledS, Math.min(retryAfterS, RETRY_AFTER_MAX_S))
}
