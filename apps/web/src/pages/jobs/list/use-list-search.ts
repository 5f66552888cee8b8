import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { ListSearch } from './list-search.ts'

const FROM = '/shell/lists/$jobId'
/** The element id of the results table. */
export const RESULTS_ID = 'results'

export function useListId(): string {
  return useParams({ from: FROM }).jobId
}

type Turn = { replace?: boolean; hash?: string }

/** Changes the search parameters of the URL. */
export function useTurn() {
  const navigate = useNavigate({ from: '/lists/$jobId' })
  return useCallback(
    (next: (now: ListSearch) => ListSearch, { replace = false, hash }: Turn = {}) =>
      void navigate({ search: next, replace, resetScroll: false, ...(hash && { hash }) }),
    [navigate],
  )
}

export function useAskedPreset(): string | undefined {
  return useSearch({ from: FROM, select: ({ preset }: ListSearch) => preset })
}

/** The search parameters of the URL, and a function that changes them. */
export function useListSearch() {
  const search: ListSearch = useSearch({ from: FROM })
  return { search, turn: useTurn() }
}

/** A new filter starts at the first page, with no result open. */
export function withFilter({ preset }: ListSearch, filter: ListSearch): ListSearch {
  return { ...(preset !== undefined && { preset }), ...filter }
}

export function hasFilter({ status, sub_status, provider, domain, search }: ListSearch): boolean {
  return [status, sub_status, provider, domain, search].some((one) => one !== undefined)
}
