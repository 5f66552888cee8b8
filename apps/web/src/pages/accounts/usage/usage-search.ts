import { isDay } from '../../../ui/day.ts'

/** Ranges of the chart, in days. */
export const RANGES = [7, 30, 90, 365] as const
export type Range = (typeof RANGES)[number]
export const RANGE_USUAL: Range = 30

/** Ledger filters in the URL. */
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

/** The API rejects empty values. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
