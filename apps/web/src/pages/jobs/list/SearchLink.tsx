import { useLocation } from '@tanstack/react-router'
import { type MouseEvent, type ReactNode, useCallback } from 'react'
import type { ListSearch } from './list-search.ts'
import { RESULTS_ID, useTurn, withFilter } from './use-list-search.ts'

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
  const turn = useTurn()
  const kept = useLocation({ select: ({ searchStr }) => keepOf(searchStr) })
  const found = new URLSearchParams([...new URLSearchParams(kept), ...(Object.entries(filter) as [string, string][])])
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
  return new URLSearchParams(all.filter(([name]) => ['mode', 'org', 'preset'].includes(name))).toString()
}

/** The URL of a result, with the current filters. */
export function useRowHref(): (row: number) => string {
  const kept = useLocation({ select: ({ searchStr }) => withoutRow(searchStr) })
  return useCallback((row) => `?${kept === '' ? '' : `${kept}&`}row=${row}`, [kept])
}

function withoutRow(search: string): string {
  const all = new URLSearchParams(search)
  all.delete('row')
  return all.toString()
}
