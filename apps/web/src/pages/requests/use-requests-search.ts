import { useNavigate, useSearch } from '@tanstack/react-router'
import { type RequestsSearch, readRequestsSearch } from './requests-search.ts'

/** What the address says of the requests, and how to make it say something else. */
export function useRequestsSearch() {
  const search = readRequestsSearch(useSearch({ from: '/shell/requests' }))
  const navigate = useNavigate({ from: '/requests' })
  const turn = (next: RequestsSearch, { replace = false } = {}) =>
    void navigate({ search: next, replace, resetScroll: false })
  return { search, turn }
}
