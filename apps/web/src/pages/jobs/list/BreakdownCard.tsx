import type { JobBreakdown } from '@probity/sdk'
import type { ReactNode } from 'react'
import { VERDICTS, VerdictBadge, verdictLook } from '../../../labels/verdict.tsx'
import { Card } from '../../../ui/Card.tsx'
import { formatNumber, formatShare } from '../../../ui/format.ts'
import { type Column, DataTable } from '../../../ui/Table.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import type { ListSearch } from '../search.ts'
import { providerWord, reasonMeaning, reasonWord } from './job-labels.ts'
import { FilterLink } from './SearchLink.tsx'
import { CountBar, VerdictBar } from './VerdictBar.tsx'

/** The results by reason, provider and domain. Each row links to the results that it counts. */
export function BreakdownCard({ breakdown }: { breakdown: JobBreakdown }) {
  const { by_reason, by_provider, by_domain } = breakdown
  return (
    <Card title="Breakdown">
      <Tabs
        label="Breakdown"
        tabs={[
          { value: 'reason', label: 'By reason', content: <Reasons rows={by_reason} /> },
          {
            value: 'provider',
            label: 'By provider',
            content: (
              <Places
                caption="Results by provider"
                noun="Provider"
                rows={by_provider.map((row) => ({
                  ...row,
                  name: providerWord(row.provider),
                  filter: { provider: row.provider },
                }))}
              />
            ),
          },
          {
            value: 'domain',
            label: 'By domain',
            content: (
              <Places
                caption="Results by domain (top 20)"
                noun="Domain"
                rows={by_domain.map((row) => ({ ...row, name: row.domain, filter: { domain: row.domain } }))}
              />
            ),
          },
        ]}
      />
    </Card>
  )
}

type Reason = JobBreakdown['by_reason'][number]

function Reasons({ rows }: { rows: Reason[] }) {
  const total = rows.reduce((sum, { count }) => sum + count, 0)
  return (
    <DataTable
      caption="Results by reason"
      columns={reasonColumns((count) => (total === 0 ? 0 : count / total))}
      rows={rows}
      keyOf={({ status, sub_status: reason }) => `${status} ${reason}`}
    />
  )
}

const reasonColumns = (shareOf: (count: number) => number): Column<Reason>[] => [
  {
    head: 'Reason',
    cell: ({ status, sub_status: reason }) => (
      <>
        <RowLink filter={reason === '' ? { status } : { sub_status: reason }}>{reasonWord(reason)}</RowLink>
        <p className="text-[0.8125rem] text-faint max-md:hidden">{reasonMeaning(reason)}</p>
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
    cell: ({ status, count }) => <CountBar status={status} share={shareOf(count)} />,
  },
]

type Place = Pick<JobBreakdown['by_domain'][number], 'count' | 'valid' | 'risky' | 'invalid' | 'unknown'> & {
  name: string
  filter: ListSearch
}

function Places({ caption, noun, rows }: { caption: string; noun: string; rows: Place[] }) {
  return <DataTable caption={caption} columns={placeColumns(noun)} rows={rows} keyOf={({ name }) => name} />
}

const placeColumns = (noun: string): Column<Place>[] => [
  {
    head: noun,
    className: 'max-w-60 [overflow-wrap:anywhere]',
    cell: ({ filter, name }) => <RowLink filter={filter}>{name}</RowLink>,
  },
  { head: 'Addresses', align: 'end', cell: ({ count }) => formatNumber(count) },
  {
    head: 'Chart',
    isHeadHidden: true,
    headClassName: 'w-1/3 max-md:hidden',
    className: 'max-md:hidden',
    cell: (row) => <VerdictBar counts={row} />,
  },
  ...VERDICTS.map(
    (verdict): Column<Place> => ({
      head: verdictLook(verdict).word,
      align: 'end',
      cell: (row) => formatNumber(row[verdict]),
    }),
  ),
]

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
