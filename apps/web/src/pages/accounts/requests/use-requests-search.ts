import { useNavigate, useSearch } from '@tanstack/react-router'
import { type RequestsSearch, readRequestsSearch } from './requests-search.ts'

/** Reads and changes the search parameters of the requests page. */
export function useRequestsSearch() {
  const search = readRequestsSearch(useSearch({ from: '/shell/requests' }))
  const navigate = useNavigate({ from: '/requests' })
  const turn = (next: RequestsSearch, { replace = false } = {}) =>
    void navigate({ search: next, replace, resetScroll: false })
  return { search, turn }
}
