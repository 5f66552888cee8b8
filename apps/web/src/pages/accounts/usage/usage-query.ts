import type { LedgerFilter } from '@probity/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Scene } from '../../../session/workspace.ts'
import type { LedgerSearch } from '../search.ts'

export const ENTRIES_PER_PAGE = 20
const DAY_MS = 86_400_000

/** Usage of the last days up to today, in UTC, or of as many days up to an earlier one. */
export function usageQuery({ key, probity }: Scene, days: number, by: 'day' | 'key', { ago = 0 } = {}) {
  return queryOptions({
    queryKey: [...key, 'usage', by, days, ago],
    queryFn: ({ signal }) => probity.usage({ from: dayBefore(ago + days - 1), to: dayBefore(ago), by, signal }),
    placeholderData: keepPreviousData,
  })
}

export function ledgerQuery({ key, probity }: Scene, search: LedgerSearch) {
  const { skip = 0 } = search
  const filter = filterOf(search)
  return queryOptions({
    queryKey: [...key, 'ledger', { ...filter, skip }],
    queryFn: async ({ signal }) => {
      const { data, total } = await probity.ledger.list({ ...filter, skip, limit: ENTRIES_PER_PAGE, signal })
      return { entries: data, total: total ?? data.length }
    },
    placeholderData: keepPreviousData,
  })
}

export function filterOf({ kind, from, to, key }: LedgerSearch): LedgerFilter {
  return { kind, from, to, keyId: key }
}

function dayBefore(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)
}

/** The name of a key. Usage in the web app has no key. */
export function keyLabel({ key_id, key_name }: { key_id: string | null; key_name: string | null }): string {
  if (key_id === null) return 'Web app'
  return key_name ?? `Key ${key_id.slice(0, 8)}`
}

/** How long credits last at the recent rate of use. */
export type Forecast = {
  /** Number of days up to today that the rate is based on. */
  days: number
  perDay: number
  /** Undefined if no credits were used, or if the date is too far in the future. */
  until: Date | undefined
}

type Spent = { credits_used: number; credits_refunded: number }

/** A forecast beyond two years is not meaningful. */
const DAYS_FORESEEN_MAX = 730

/** `history` is in chronological order and ends today. Refunded credits are subtracted. */
export function forecast(
  available: number,
  history: readonly Spent[],
  { days, now }: { days: number; now: Date },
): Forecast {
  const recent = history.slice(-days)
  const spent = recent.reduce((sum, { credits_used, credits_refunded }) => sum + credits_used - credits_refunded, 0)
  const perDay = Math.max(0, spent) / days
  const daysLeft = perDay === 0 ? Number.POSITIVE_INFINITY : available / perDay
  const until = daysLeft <= DAYS_FORESEEN_MAX ? new Date(now.getTime() + daysLeft * DAY_MS) : undefined
  return { days, perDay, until }
}
