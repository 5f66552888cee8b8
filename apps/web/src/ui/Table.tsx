import { clsx } from 'clsx'
import { ArrowDown, ArrowUp, ChevronLeft, ChevronRight } from 'lucide-react'
import { type ReactNode, type TdHTMLAttributes, useSyncExternalStore } from 'react'
import { IconButton } from './Button.tsx'
import { formatNumber } from './format.ts'

type TableProps = { caption: string; children: ReactNode; className?: string }

/** A table with a caption. Wide tables scroll inside a region that is reachable by keyboard. */
export function Table({ caption, children, className }: TableProps) {
  return (
    <ScrollRegion label={caption} className={clsx('relative overflow-x-auto', className)}>
      <table className="w-full border-collapse text-start">
        <caption className="sr-only">{caption}</caption>
        {children}
      </table>
    </ScrollRegion>
  )
}

type HeadProps = {
  children: ReactNode
  align?: 'start' | 'end'
  sort?: 'ascending' | 'descending' | 'none'
  onSort?(): void
  className?: string
}

export function Th({ children, align = 'start', sort, onSort, className }: HeadProps) {
  const Arrow = sort === 'ascending' ? ArrowUp : ArrowDown
  return (
    <th
      scope="col"
      aria-sort={sort}
      className={clsx(
        'border-b border-line px-3 py-2 text-xs font-medium whitespace-nowrap text-faint first:ps-0 last:pe-0',
        align === 'end' ? 'text-end' : 'text-start',
        className,
      )}
    >
      {onSort ? (
        <button type="button" onClick={onSort} className="inline-flex min-h-6 items-center gap-1 hover:text-ink">
          {children}
          <Arrow className={clsx('size-3', sort === 'none' && 'opacity-0')} aria-hidden="true" />
        </button>
      ) : (
        children
      )}
    </th>
  )
}

type CellProps = Omit<TdHTMLAttributes<HTMLTableCellElement>, 'align'> & { align?: 'end' }

export function Td({ className, align, ...rest }: CellProps) {
  return (
    <td
      {...rest}
      className={clsx(
        'border-b border-line px-3 py-2.5 align-middle first:ps-0 last:pe-0',
        align === 'end' && 'text-end tabular-nums',
        className,
      )}
    />
  )
}

type PagerProps = { skip: number; limit: number; total: number; noun: string; onTurn(skip: number): void }

export function Pager({ skip, limit, total, noun, onTurn }: PagerProps) {
  if (total <= limit && skip === 0) return null
  const last = Math.min(skip + limit, total)
  return (
    <nav aria-label={`Pages of ${noun}`} className="flex items-center justify-between gap-3 pt-3 text-soft">
      <p className="tabular-nums">
        {formatNumber(Math.min(skip + 1, total))}–{formatNumber(last)} of {formatNumber(total)}
      </p>
      <div className="flex gap-1">
        <IconButton
          label="Previous page"
          look="secondary"
          size="sm"
          disabled={skip === 0}
          onClick={() => onTurn(Math.max(0, skip - limit))}
        >
          <ChevronLeft />
        </IconButton>
        <IconButton
          label="Next page"
          look="secondary"
          size="sm"
          disabled={last >= total}
          onClick={() => onTurn(skip + limit)}
        >
          <ChevronRight />
        </IconButton>
      </div>
    </nav>
  )
}

/** Narrower than Tailwind's `sm`. */
const NARROW = '(width < 40rem)'

/** Whether the screen is too narrow for tables; only the table or the cards are rendered. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => window.matchMedia(NARROW).matches)
}

function subscribe(onChange: () => void) {
  const query = window.matchMedia(NARROW)
  query.addEventListener('change', onChange)
  return () => query.removeEventListener('change', onChange)
}

/** A scrollable region that is reachable by keyboard. */
export function ScrollRegion({
  label,
  className,
  children,
}: {
  label: string
  className?: string
  children: ReactNode
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable without a mouse
    <section aria-label={label} tabIndex={0} className={className}>
      {children}
    </section>
  )
}
