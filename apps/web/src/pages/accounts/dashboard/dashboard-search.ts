/** Time ranges of the verdicts, in days. */
export const RANGES = [7, 30, 90] as const
export type Range = (typeof RANGES)[number]
export const RANGE_USUAL: Range = 30

export type DashboardSearch = { days?: Range }

export function readDashboardSearch({ days }: Record<string, unknown>): DashboardSearch {
  return RANGES.includes(days as Range) && days !== RANGE_USUAL ? { days: days as Range } : {}
}
