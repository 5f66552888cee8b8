import type { JobResult } from '@probity/sdk'
import { useLocation, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type MouseEvent, type ReactNode, useCallback } from 'react'
import type { ListSearch } from '../search.ts'

type PlainLinkProps = { href: string; onFollow(): void; title?: string; className?: string; children: ReactNode }

/**
 * A link within the page. The router's links render again with every change of the URL, which is slow on a page with a hundred of
 * them.
 */
export function PlainLink({ href, onFollow, children, ...rest }: PlainLinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    onFollow()
  }
  return (
    <a {...rest} href={href} onClick={follow}>
      {children}
    </a>
  )
}

type FilterLinkProps = { filter: ListSearch; title?: string; className?: string; children: ReactNode }

/** Links to the results that match the filter. */
export function FilterLink({ filter, ...rest }: FilterLinkProps) {
  const turn = useUpdateSearch()
  const kept = useLocation({ select: ({ searchStr }) => keepOf(searchStr) })
  const wanted = Object.entries({ tab: 'results', ...filter }) as [string, string][]
  const found = new URLSearchParams([...new URLSearchParams(kept), ...wanted])
  return (
    <PlainLink
      {...rest}
      href={`?${found.toString()}#${RESULTS_ID}`}
      onFollow={() => turn((now) => withFilter(now, filter), { hash: RESULTS_ID })}
    />
  )
}

/** The search parameters that are kept when the filter changes. */
function keepOf(search: string): string {
  const all = [...new URLSearchParams(search)]
  return new URLSearchParams(
    all.filter(([name]) => ['mode', 'org', 'preset', 'sort', 'limit'].includes(name)),
  ).toString()
}

/** The part of the URL that opens a result. */
export function placeOf({ row, position }: JobResult): Pick<ListSearch, 'row' | 'position'> {
  return { row, ...(position > 1 && { position }) }
}

/** The URL of a result, with the current filters. */
export function useResultHref(): (result: JobResult) => string {
  const kept = useLocation({ select: ({ searchStr }) => keptWith(searchStr) })
  return useCallback(
    (result) => {
      const place = Object.entries(placeOf(result)).map(([name, value]) => `${name}=${value}`)
      return `?${[...(kept === '' ? [] : [kept]), ...place].join('&')}`
    },
    [kept],
  )
}

function keptWith(search: string): string {
  const all = new URLSearchParams(search)
  all.delete('row')
  all.delete('position')
  return all.toString()
}

const FROM = '/shell/lists/$jobId'
/** The element id of the results table. */
export const RESULTS_ID = 'results'

export function useListId(): string {
  return useParams({ from: FROM }).jobId
}

type Turn = { replace?: boolean; hash?: string }

/** Changes the search parameters of the URL. */
export function useUpdateSearch() {
  const navigate = useNavigate({ from: '/lists/$jobId' })
  return useCallback(
    (next: (now: ListSearch) => ListSearch, { replace = false, hash }: Turn = {}) =>
      void navigate({ search: next, replace, resetScroll: false, ...(hash && { hash }) }),
    [navigate],
  )
}

export function usePresetParameter(): string | undefined {
  return useSearch({ from: FROM, select: ({ preset }: ListSearch) => preset })
}

/** The search parameters of the URL, and a function that changes them. */
export function useListSearch() {
  const search: ListSearch = useSearch({ from: FROM })
  return { search, turn: useUpdateSearch() }
}

/** A new filter shows the results from the first page, with no result open. */
export function withFilter({ preset, sort, limit }: ListSearch, filter: ListSearch): ListSearch {
  return {
    ...(preset !== undefined && { preset }),
    ...(sort !== undefined && { sort }),
    ...(limit !== undefined && { limit }),
    tab: 'results',
    ...filter,
  }
}

export function hasFilter({ status, sub_status, provider, domain, search }: ListSearch): boolean {
  return [status, sub_status, provider, domain, search].some((one) => one !== undefined)
}
