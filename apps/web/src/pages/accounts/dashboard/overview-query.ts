import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Scene } from '../../../session/scene.ts'

const WHILE_LISTS_RUN_MS = 3_000
const OTHERWISE_MS = 30_000

/** The overview in one request, refreshed more often while lists are in progress. */
export function overviewQuery({ key, probity }: Scene, days: number) {
  return queryOptions({
    queryKey: [...key, 'overview', days],
    queryFn: ({ signal }) => probity.overview({ days, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.jobs?.running.length ? WHILE_LISTS_RUN_MS : OTHERWISE_MS),
  })
}
