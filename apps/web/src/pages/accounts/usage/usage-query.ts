import type { LedgerFilter } from '@probity/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Scene } from '../../../session/scene.ts'
import type { LedgerSearch } from './usage-search.ts'

export const ENTRIES_PER_PAGE = 20
const DAY_MS = 86_400_000

/** Usage of the last days up to today, in UTC. */
export function usageQuery({ key, probity }: Scene, days: number, by: 'day' | 'key') {
  return queryOptions({
    queryKey: [...key, 'usage', by, days],
    queryFn: ({ signal }) => probity.usage({ from: dayBefore(days - 1), to: dayBefore(0), by, signal }),
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
