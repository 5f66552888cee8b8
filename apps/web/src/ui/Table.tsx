import { clsx } from 'clsx'
import { ArrowDown, ArrowUp } from 'lucide-react'
import type { ReactNode, TdHTMLAttributes } from 'react'
import { ScrollRegion } from './ScrollRegion.tsx'

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
