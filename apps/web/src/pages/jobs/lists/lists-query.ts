import type { BulkJob } from '@probity/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Scene } from '../../../session/scene.ts'
import type { ListsSearch } from './lists-search.ts'

export const LISTS_PER_PAGE = 20
const REFRESH_MS = 3_000

export function listsQuery({ key, probity }: Scene, { skip = 0, status, search }: ListsSearch) {
  return queryOptions({
    queryKey: [...key, 'lists', 'page', { skip, status, search }],
    queryFn: async ({ signal }) => {
      const call = probity.jobs.list({ skip, limit: LISTS_PER_PAGE, status, search, signal })
      const { data, total } = await call
      return { lists: data, total: total ?? data.length }
    },
    placeholderData: keepPreviousData,
    // Only while a list is in progress. The library does not refetch in hidden tabs.
    refetchInterval: ({ state }) => (state.data?.lists.some(isUnderWay) ? REFRESH_MS : false),
  })
}

const AT_REST = ['paused', 'completed', 'canceled', 'failed']

/** Unknown (newer) states count as in progress. */
export function isUnderWay({ status }: Pick<BulkJob, 'status'>): boolean {
  return !AT_REST.includes(status)
}
