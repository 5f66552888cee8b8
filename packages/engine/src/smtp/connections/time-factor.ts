import type { ProviderLimits, ProviderLimitsTable } from '../providers/limits.ts'

/**
 * How many times faster than usual everything waits and expires. In tests of hours and days it is above 1; no setting of a program reaches
 * it. A table is scaled where it is injected: what is calculated from it needs no factor.
 */
export type TimeFactor = { timeFactor?: number }

/** The same values with all durations, the fields whose names end with `Ms`, divided by the factor. */
export function scaleDurations<T extends Record<string, number>>(values: T, timeFactor: number): T {
  if (timeFactor === 1) return values
  const scaled = Object.entries(values).map(([name, value]) => [
    name,
    /Ms(?:Max)?$/.test(name) ? Math.ceil(value / timeFactor) : value,
  ])
  return Object.fromEntries(scaled) as T
}

/** The retry schedules and suspensions. Rates and budgets are those of the rate limiter, which has a factor of its own. */
export function scaleProviderLimits(table: ProviderLimitsTable, timeFactor: number): ProviderLimitsTable {
  if (timeFactor === 1) return table
  const scale = (limits: ProviderLimits): ProviderLimits => ({
    ...limits,
    retryDelaysS: limits.retryDelaysS.map((delayS) => delayS / timeFactor),
    suspendS: Object.fromEntries(Object.entries(limits.suspendS).map(([reason, forS]) => [reason, forS / timeFactor])),
  })
  const entries = Object.entries(table).map(([provider, limits]) => [provider, scale(limits)] as const)
  return { ...Object.fromEntries(entries), '': scale(table['']) }
}
