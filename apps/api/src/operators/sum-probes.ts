import { LATENCY_BUCKETS_MS } from '@probity/contract/constants/operators'
import type { ProbeCounts } from '@probity/database/validations/probing'

type Counted = Omit<ProbeCounts, 'provider' | 'egress' | 'lastBlock'>

const NAMES = ['probes', 'conclusive', 'deferred', 'blocked', 'noResponse', 'throttled'] as const

/** Several hours or ways out as one. */
export function sumProbes(rows: Counted[]): Counted {
  const sum: Counted = { probes: 0, conclusive: 0, deferred: 0, blocked: 0, noResponse: 0, throttled: 0, ms: [] }
  for (const row of rows) {
    for (const name of NAMES) sum[name] += row[name]
    for (const [step, count] of row.ms.entries()) sum.ms[step] = (sum.ms[step] ?? 0) + count
  }
  return sum
}

/** Up to how many milliseconds this share of the answers took. Null where there was none, or where it is longer than the last step. */
export function percentile(ms: number[], share: number): number | null {
  const all = ms.reduce((sum, count) => sum + count, 0)
  let below = 0
  for (const [step, count] of ms.entries()) {
    below += count
    if (all > 0 && below >= all * share) return LATENCY_BUCKETS_MS[step] ?? null
  }
  return null
}
