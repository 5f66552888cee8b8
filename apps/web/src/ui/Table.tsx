import { clsx } from 'clsx'
import { ArrowDown, ArrowUp, ChevronLeft, ChevronRight, ChevronsUpDown } from 'lucide-react'
import { type ReactNode, type TdHTMLAttributes, useCallback, useMemo, useSyncExternalStore } from 'react'
import { IconButton } from './Button.tsx'
import { formatNumber } from './format.ts'

type TableProps = { caption: string; children: ReactNode; className?: string | undefined }

/** A table with a caption. Wide tables scroll inside a region that is reachable by keyboard. */
function Table({ caption, children, className }: TableProps) {
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
  align?: 'end' | undefined
  className?: string | undefined
  sort?: ColumnSort | undefined
}

function Th({ children, align, className, sort }: HeadProps) {
  return (
    <th
      scope="col"
      aria-sort={sort && (sort.direction ?? 'none')}
      className={clsx(
        'border-b border-line px-3 py-2 text-xs font-medium whitespace-nowrap text-faint first:ps-0 last:pe-0',
        align === 'end' ? 'text-end' : 'text-start',
        className,
      )}
    >
      {sort ? <SortButton {...sort}>{children}</SortButton> : children}
    </th>
  )
}

/** How the table is sorted by a column. Undefined: it is sorted by another one. */
export type ColumnSort = { direction: 'ascending' | 'descending' | undefined; onSort(): void }

function SortButton({ direction, onSort, children }: ColumnSort & { children: ReactNode }) {
  const Icon = direction === undefined ? ChevronsUpDown : direction === 'ascending' ? ArrowUp : ArrowDown
  return (
    <button
      type="button"
      onClick={onSort}
      className={clsx('inline-flex min-h-6 items-center gap-1 rounded-sm hover:text-ink', direction && 'text-ink')}
    >
      {children}
      <Icon className="size-3.5" aria-hidden="true" />
    </button>
  )
}

type CellProps = Omit<TdHTMLAttributes<HTMLTableCellElement>, 'align'> & { align?: 'end' | undefined }

function Td({ className, align, ...rest }: CellProps) {
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

/** A column of a table. */
export type Column<Row> = {
  head: ReactNode
  cell(row: Row, index: number): ReactNode
  /** The cells name their rows: they are row headers. */
  isRowHead?: boolean
  /** Shows the head to screen readers only. */
  isHeadHidden?: boolean
  align?: 'end'
  /** Classes of the cells. */
  className?: string
  headClassName?: string
  /** Makes the head a button. */
  sort?: ColumnSort | undefined
}

type DataTableProps<Row> = {
  caption: string
  columns: readonly (Column<Row> | false)[]
  rows: readonly Row[]
  keyOf(row: Row, index: number): string | number
  className?: string
  rowClassName?(row: Row): string | undefined
  headClassName?: string
  /** Screens narrower than this show a list of cards instead of the table. */
  cardsBelow?: Breakpoint
  /** The row as a card. Default: the row header as its title, then the other cells with their heads. */
  card?(row: Row): ReactNode
  /** Cards with a border, or separated by lines. */
  cardLook?: 'boxes' | 'lines'
}

const CARD_LOOKS = {
  boxes: {
    list: 'flex flex-col gap-3',
    card: 'flex flex-col gap-3 rounded-lg border border-line bg-surface px-4 py-3 shadow-card',
  },
  lines: { list: 'flex flex-col divide-y divide-line', card: 'flex flex-col gap-1.5 py-3' },
}

/** A table with columns as data, or a list of cards where the screen is too narrow for it. Only one of the two is rendered. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { caption, rows, keyOf, card, cardsBelow = card && 'sm', cardLook = 'lines' } = props
  const isNarrow = useNarrow(cardsBelow ?? 'sm')
  if (!(cardsBelow && isNarrow)) return <Rows {...props} />
  const look = CARD_LOOKS[cardLook]
  return (
    <ul aria-label={caption} className={look.list}>
      {rows.map((row, index) => (
        <li key={keyOf(row, index)} className={look.card}>
          {card ? card(row) : <Cells columns={props.columns} row={row} index={index} />}
        </li>
      ))}
    </ul>
  )
}

function Rows<Row>({ caption, columns, rows, keyOf, className, rowClassName, headClassName }: DataTableProps<Row>) {
  const shown = columns.filter((column) => column !== false)
  return (
    <Table caption={caption} className={className}>
      <thead className={headClassName}>
        <tr>
          {shown.map(({ head, isHeadHidden, align, headClassName: extra, sort }, n) => (
            <Th key={n} align={align} className={extra} sort={sort}>
              {isHeadHidden ? <span className="sr-only">{head}</span> : head}
            </Th>
          ))}
        </tr>
      </thead>
      <tbody className="[&_tr:last-child>*]:border-b-0">
        {rows.map((row, index) => (
          <tr key={keyOf(row, index)} className={rowClassName?.(row)}>
            {shown.map(({ cell, isRowHead, align, className: extra }, n) =>
              isRowHead ? (
                <th
                  key={n}
                  scope="row"
                  className={clsx('border-b border-line py-2.5 pe-3 text-start', extra ?? 'font-normal')}
                >
                  {cell(row, index)}
                </th>
              ) : (
                <Td key={n} align={align} className={extra}>
                  {cell(row, index)}
                </Td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

/** A card with the cells of a row. Columns with a hidden head, such as actions, have no label. */
function Cells<Row>({ columns, row, index }: Pick<DataTableProps<Row>, 'columns'> & { row: Row; index: number }) {
  const [title, ...rest] = columns
    .filter((column) => column !== false)
    .toSorted((a, b) => Number(b.isRowHead ?? false) - Number(a.isRowHead ?? false))
  const facts = rest.filter(({ isHeadHidden }) => !isHeadHidden)
  const actions = rest.filter(({ isHeadHidden }) => isHeadHidden)
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-40 font-medium [overflow-wrap:anywhere]">{title?.cell(row, index)}</div>
        {actions.map(({ cell }, n) => (
          <div key={n} className="shrink-0">
            {cell(row, index)}
          </div>
        ))}
      </div>
      <dl className="grid grid-cols-2 gap-x-4 gap-y-2">
        {facts.map(({ head, cell }, n) => (
          <CardFact key={n} name={head}>
            {cell(row, index)}
          </CardFact>
        ))}
      </dl>
    </>
  )
}

/** A name and a value in a card. */
export function CardFact({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt className="text-xs text-faint">{name}</dt>
      <dd className="[overflow-wrap:anywhere]">{children}</dd>
    </div>
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

/** Widths of Tailwind's breakpoints. */
const BREAKPOINTS = { sm: '40rem', md: '48rem', lg: '64rem' } as const
type Breakpoint = keyof typeof BREAKPOINTS

function useNarrow(breakpoint: Breakpoint): boolean {
  const query = useMemo(() => window.matchMedia(`(width < ${BREAKPOINTS[breakpoint]})`), [breakpoint])
  const subscribe = useCallback(
    (onChange: () => void) => {
      query.addEventListener('change', onChange)
      return () => query.removeEventListener('change', onChange)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => query.matches)
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
