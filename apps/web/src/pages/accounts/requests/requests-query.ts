import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Scene } from '../../../session/workspace.ts'
import { type RequestsSearch, readRequestsSearch } from '../search.ts'

const REQUESTS_PER_PAGE = 50
const FOLLOW_EVERY_MS = 2_000

/** One page of requests. The newest page is polled while updates are on. */
export function requestsQuery({ key, probity }: Scene, search: RequestsSearch, isFollowed: boolean) {
  const { class: statusClass, code, key: keyId, from, to, cursor } = search
  return queryOptions({
    queryKey: [...key, 'requests', { statusClass, code, keyId, from, to, cursor }],
    queryFn: async ({ signal }) => {
      const { data, nextCursor, retentionDays } = await probity.requests.list({
        class: statusClass,
        code,
        keyId,
        cursor,
        limit: REQUESTS_PER_PAGE,
        ...(from && { from: new Date(from) }),
        ...(to && { to: new Date(to) }),
        signal,
      })
      return { data, nextCursor, retentionDays }
    },
    placeholderData: keepPreviousData,
    refetchInterval: isFollowed && cursor === undefined ? FOLLOW_EVERY_MS : false,
  })
}

export function requestQuery({ key, probity }: Scene, id: string) {
  return queryOptions({
    queryKey: [...key, 'request', id],
    queryFn: ({ signal }) => probity.requests.get(id, { signal }),
  })
}

/** Reads and changes the search parameters of the requests page. */
export function useRequestsSearch() {
  const search = readRequestsSearch(useSearch({ from: '/shell/requests' }))
  const navigate = useNavigate({ from: '/requests' })
  const turn = (next: RequestsSearch, { replace = false } = {}) =>
    void navigate({ search: next, replace, resetScroll: false })
  return { search, turn }
}
