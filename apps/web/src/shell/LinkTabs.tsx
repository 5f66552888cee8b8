import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { useEffect, useRef } from 'react'
import type { NavigationEntry } from './navigation.ts'

const ROW = 'flex w-max min-w-full gap-4 border-b border-line sm:gap-5'
const TAB =
  '-mb-px flex min-h-10 items-center gap-2.5 border-b-2 border-transparent px-0.5 whitespace-nowrap text-soft transition-colors hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink'
const COLUMN = 'lg:w-auto lg:flex-col lg:gap-0.5 lg:border-0'
const COLUMN_TAB =
  'lg:mb-0 lg:min-h-9 lg:rounded-md lg:border-0 lg:px-2.5 lg:hover:bg-hover lg:aria-[current=page]:bg-hover'

type LinkTabsProps = {
  label: string
  pages: readonly (Omit<NavigationEntry, 'Icon'> & Partial<Pick<NavigationEntry, 'Icon'>>)[]
  /** The path of the open page. */
  open: string | undefined
  /** A column on wide screens. */
  isVertical?: boolean
}

/** Links to the pages of a section, as a row of tabs. */
export function LinkTabs({ label, pages, open, isVertical = false }: LinkTabsProps) {
  const row = useOpenTabInView(open)
  return (
    <nav
      ref={row}
      aria-label={label}
      className={clsx(
        '-mx-4 overflow-x-auto px-4 sm:mx-0 sm:px-0',
        isVertical && 'lg:sticky lg:top-20 lg:self-start lg:overflow-visible',
      )}
    >
      <ul className={clsx(ROW, isVertical && COLUMN)}>
        {pages.map(({ to, label: name, Icon }) => (
          <li key={to}>
            <Link to={to} className={clsx(TAB, isVertical && COLUMN_TAB)}>
              {Icon && <Icon className="hidden size-4 shrink-0 lg:block" aria-hidden="true" />}
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** On narrow screens the open tab may be outside the visible area. Scrolls only the row, not the page. */
function useOpenTabInView(to: string | undefined) {
  const row = useRef<HTMLElement>(null)
  useEffect(() => {
    const open = to && row.current?.querySelector<HTMLElement>(`[href*="${to}"]`)
    if (!row.current || !open) return
    const { left, width } = open.getBoundingClientRect()
    const middle = row.current.getBoundingClientRect().left + row.current.clientWidth / 2
    row.current.scrollLeft += left + width / 2 - middle
  }, [to])
  return row
}
