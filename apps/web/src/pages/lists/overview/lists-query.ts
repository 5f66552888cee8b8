import type { BulkJob } from '@probity/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Scene } from '../../../session/scene.ts'
import type { ListsSearch } from '../lists-search.ts'

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
    // Only while something moves; and not in a tab that nobody sees, which is how the library does it by itself.
    refetchInterval: ({ state }) => (state.data?.lists.some(isUnderWay) ? REFRESH_MS : false),
  })
}

const AT_REST = ['paused', 'completed', 'canceled', 'failed']

/** The states are an open list: one that is not known here is under way. */
export function isUnderWay({ status }: Pick<BulkJob, 'status'>): boolean {
  return !AT_REST.includes(status)
}
