import { isDay } from '../../ui/day.ts'

/** How many days back the chart can look. */
export const RANGES = [7, 30, 90, 365] as const
export type Range = (typeof RANGES)[number]
export const RANGE_USUAL: Range = 30

/** The filters of the ledger, as they stand in the address. */
export type LedgerSearch = { kind?: string; from?: string; to?: string; key?: string; skip?: number }
export type UsageSearch = LedgerSearch & { days?: Range }

export function readUsageSearch(search: Record<string, unknown>): UsageSearch {
  const { days, kind, from, to, key, skip } = search
  return {
    ...(RANGES.includes(days as Range) && days !== RANGE_USUAL && { days: days as Range }),
    ...(isText(kind) && { kind }),
    ...(isDay(from) && { from }),
    ...(isDay(to) && { to }),
    ...(isText(key) && { key }),
    ...(Number.isInteger(skip) && (skip as number) > 0 && { skip: skip as number }),
  }
}

/** An empty one filters nothing, and the service takes none. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
