import type { JobBreakdown } from '@probity/sdk'
import { type ReactNode, useState } from 'react'
import { VERDICTS, VerdictBadge, verdictLook } from '../../../labels/verdict.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { formatNumber, formatShare } from '../../../ui/format.ts'
import { type Column, DataTable } from '../../../ui/Table.tsx'
import type { ListSearch } from '../search.ts'
import { providerWord, reasonMeaning, reasonWord } from './job-labels.ts'
import { FilterLink, useUpdateSearch, withFilter } from './SearchLink.tsx'
import { CountBar, VerdictBar } from './VerdictBar.tsx'

/** The results by reason, provider and domain. Each row, count and bar opens the results that it counts. */
export function BreakdownCards({ breakdown: { by_reason, by_provider, by_domain } }: { breakdown: JobBreakdown }) {
  return (
    <>
      <Reasons rows={by_reason} />
      <Places
        title="By provider"
        caption="Results by provider"
        noun="Provider"
        rows={by_provider.map((row) => ({
          ...row,
          name: providerWord(row.provider),
          filter: { provider: row.provider },
        }))}
      />
      <Places
        title="By domain"
        caption="Results by domain (top 20)"
        noun="Domain"
        rows={by_domain.map((row) => ({ ...row, name: row.domain, filter: { domain: row.domain } }))}
      />
    </>
  )
}

const SHOWN_FIRST = 10

type BreakdownTableProps<Row> = {
  title: string
  caption: string
  columns: Column<Row>[]
  rows: Row[]
  keyOf(row: Row): string
}

/** The most frequent rows, and all of them on request. */
function BreakdownTable<Row>({ title, caption, columns, rows, keyOf }: BreakdownTableProps<Row>) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? rows : rows.slice(0, SHOWN_FIRST)
  return (
    <Card title={title}>
      <DataTable caption={caption} columns={columns} rows={shown} keyOf={keyOf} />
      {shown.length < rows.length && (
        <Button size="sm" look="quiet" className="mt-2" onClick={() => setWhole(true)}>
          Show all {formatNumber(rows.length)}
          <span className="sr-only"> rows of {caption}</span>
        </Button>
      )}
    </Card>
  )
}

type Reason = JobBreakdown['by_reason'][number]

function Reasons({ rows }: { rows: Reason[] }) {
  const total = rows.reduce((sum, { count }) => sum + count, 0)
  const choose = useFilterChoice()
  return (
    <BreakdownTable
      title="By reason"
      caption="Results by reason"
      columns={reasonColumns((count) => (total === 0 ? 0 : count / total), choose)}
      rows={rows}
      keyOf={({ status, sub_status: reason }) => `${status} ${reason}`}
    />
  )
}

const reasonColumns = (shareOf: (count: number) => number, choose: (filter: ListSearch) => void): Column<Reason>[] => [
  {
    head: 'Reason',
    cell: (row) => (
      <>
        <RowLink filter={filterOfReason(row)}>{reasonWord(row.sub_status)}</RowLink>
        <p className="text-[0.8125rem] text-faint max-md:hidden">{reasonMeaning(row.sub_status)}</p>
      </>
    ),
  },
  { head: 'Verdict', cell: ({ status }) => <VerdictBadge status={status} /> },
  { head: 'Addresses', align: 'end', cell: ({ count }) => formatNumber(count) },
  {
    head: 'Share',
    align: 'end',
    headClassName: 'max-sm:hidden',
    className: 'text-soft max-sm:hidden',
    cell: ({ count }) => formatShare(shareOf(count)),
  },
  {
    head: 'Chart',
    isHeadHidden: true,
    headClassName: 'w-1/4 max-md:hidden',
    className: 'max-md:hidden',
    cell: (row) => (
      <CountBar status={row.status} share={shareOf(row.count)} onChoose={() => choose(filterOfReason(row))} />
    ),
  },
]

function filterOfReason({ status, sub_status: reason }: Reason): ListSearch {
  return reason === '' ? { status } : { sub_status: reason }
}

type Place = Pick<JobBreakdown['by_domain'][number], 'count' | 'valid' | 'risky' | 'invalid' | 'unknown'> & {
  name: string
  filter: ListSearch
}

type PlacesProps = { title: string; caption: string; noun: string; rows: Place[] }

function Places({ title, caption, noun, rows }: PlacesProps) {
  const choose = useFilterChoice()
  const columns = placeColumns(noun, choose)
  return <BreakdownTable title={title} caption={caption} columns={columns} rows={rows} keyOf={({ name }) => name} />
}

const placeColumns = (noun: string, choose: (filter: ListSearch) => void): Column<Place>[] => [
  {
    head: noun,
    className: 'min-w-20 max-w-60 [overflow-wrap:anywhere]',
    cell: ({ filter, name }) => <RowLink filter={filter}>{name}</RowLink>,
  },
  { head: 'Addresses', align: 'end', cell: ({ count }) => formatNumber(count) },
  {
    head: 'Chart',
    isHeadHidden: true,
    headClassName: 'w-1/3 max-md:hidden',
    className: 'max-md:hidden',
    cell: (row) => <VerdictBar counts={row} onChoose={(status) => choose({ ...row.filter, status })} />,
  },
  ...VERDICTS.map(
    (verdict): Column<Place> => ({
      head: verdictLook(verdict).word,
      align: 'end',
      cell: (row) => <VerdictCount row={row} verdict={verdict} />,
    }),
  ),
]

function VerdictCount({ row, verdict }: { row: Place; verdict: (typeof VERDICTS)[number] }) {
  if (row[verdict] === 0) return '0'
  return (
    <FilterLink
      filter={{ ...row.filter, status: verdict }}
      title={`Show ${verdict} results: ${row.name}`}
      className="inline-flex min-h-6 items-center underline-offset-4 hover:underline"
    >
      {formatNumber(row[verdict])}
    </FilterLink>
  )
}

/** Opens the results that match a filter, for clicks on charts. Links next to the charts do the same by keyboard. */
function useFilterChoice() {
  const turn = useUpdateSearch()
  return (filter: ListSearch) => turn((now) => withFilter(now, filter))
}

function RowLink({ filter, children }: { filter: ListSearch; children: ReactNode }) {
  return (
    <FilterLink
      filter={filter}
      className="inline-flex min-h-6 items-center font-medium text-accent-text underline-offset-4 hover:underline"
    >
      {children}
    </FilterLink>
  )
}
