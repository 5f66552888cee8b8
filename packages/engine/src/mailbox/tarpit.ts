import type { Line } from './line.ts'

/** An answer that takes longer than this, and so many times as long as the quickest, is held back on purpose. */
const SLOW_MS = 2_000
const SLOW_TIMES = 10
/** A server that makes every refusal wait by the same time (Exchange: five seconds) can be lived with; one that adds to it cannot. */
const GROWTH = 1.5
const REFUSAL_MS_MAX = 12_000

/**
 * Whether the line has become a tarpit, by the time that one answer took. A held back acceptance means that everything is held
 * back from now on; a refusal may be slow by habit.
 */
export function isTarpit(line: Line, code: number, ms: number): boolean {
  const { quickestMs, slowestRefusalMs } = line
  line.quickestMs = Math.min(quickestMs, ms)
  if (ms < SLOW_MS || ms < SLOW_TIMES * quickestMs || quickestMs === Number.POSITIVE_INFINITY) return false
  if (code < 400) return true
  line.slowestRefusalMs = Math.max(slowestRefusalMs, ms)
  return ms > REFUSAL_MS_MAX || (slowestRefusalMs > 0 && ms > GROWTH * slowestRefusalMs)
}
