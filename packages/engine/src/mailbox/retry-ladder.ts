import type { Habits } from './habits.ts'

/** Longer than any greylist in use; a server that names more does not want to be asked. */
const WAIT_MAX_MS = 24 * 3_600_000

/**
 * How long to wait after so many tries at a recipient, the one just put off included; null when it is time to give up. What
 * the server says goes before what we know of it. Both use up the ladder, so that nobody can be made to ask for ever.
 */
export function nextTryMs(habits: Habits, attempts: number, retryAfterMs: number | null): number | null {
  const rungS = habits.retryLadderS[attempts - 1]
  if (rungS === undefined) return null
  return retryAfterMs === null ? rungS * 1_000 : justAfter(retryAfterMs)
}

/** A greylist counts in whole seconds by its own clock: who comes on the dot may be early, and starts it anew with some. */
function justAfter(delayMs: number): number {
  const marginMs = Math.max(2_000, delayMs / 20)
  return Math.min(WAIT_MAX_MS, Math.ceil((delayMs + marginMs) / 1_000) * 1_000)
}
