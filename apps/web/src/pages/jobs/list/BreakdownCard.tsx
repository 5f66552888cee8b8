import type { JobBreakdown } from '@probity/sdk'
import type { ReactNode } from 'react'
import { VerdictBadge } from '../../../labels/verdict.tsx'
import { Card } from '../../../ui/Card.tsx'
import { formatNumber, formatShare } from '../../../ui/format.ts'
import { Table, Td, Th } from '../../../ui/Table.tsx'
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

function Reasons({ rows }: { rows: JobBreakdown['by_reason'] }) {
  const total = rows.reduce((sum, { count }) => sum + count, 0)
  return (
    <Table caption="Results by reason">
      <thead>
        <tr>
          <Th>Reason</Th>
          <Th>Verdict</Th>
          <Th align="end">Addresses</Th>
          <Th align="end" className="max-sm:hidden">
            Share
          </Th>
          <Th className="w-1/4 max-md:hidden">
            <span className="sr-only">Chart</span>
          </Th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ status, sub_status, count }) => (
          <tr key={`${status} ${sub_status}`} className="last:[&>td]:border-b-0">
            <Td>
              <RowLink filter={sub_status === '' ? { status } : { sub_status }}>{reasonWord(sub_status)}</RowLink>
              <p className="text-[0.8125rem] text-faint max-md:hidden">{reasonMeaning(sub_status)}</p>
            </Td>
            <Td>
              <VerdictBadge status={status} />
            </Td>
            <Td align="end">{formatNumber(count)}</Td>
            <Td align="end" className="text-soft max-sm:hidden">
              {formatShare(total === 0 ? 0 : count / total)}
            </Td>
            <Td className="max-md:hidden">
              <CountBar status={status} share={total === 0 ? 0 : count / total} />
            </Td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

type Place = {
  name: string
  filter: ListSearch
  count: number
  valid: number
  risky: number
  invalid: number
  unknown: number
}

function Places({ caption, noun, rows }: { caption: string; noun: string; rows: Place[] }) {
  return (
    <Table caption={caption}>
      <thead>
        <tr>
          <Th>{noun}</Th>
          <Th align="end">Addresses</Th>
          <Th className="w-1/3 max-md:hidden">
            <span className="sr-only">Chart</span>
          </Th>
          <Th align="end">Valid</Th>
          <Th align="end">Risky</Th>
          <Th align="end">Invalid</Th>
          <Th align="end">Unknown</Th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.name} className="last:[&>td]:border-b-0">
            <Td className="max-w-60 [overflow-wrap:anywhere]">
              <RowLink filter={row.filter}>{row.name}</RowLink>
            </Td>
            <Td align="end">{formatNumber(row.count)}</Td>
            <Td className="max-md:hidden">
              <VerdictBar counts={row} />
            </Td>
            <Td align="end">{formatNumber(row.valid)}</Td>
            <Td align="end">{formatNumber(row.risky)}</Td>
            <Td align="end">{formatNumber(row.invalid)}</Td>
            <Td align="end">{formatNumber(row.unknown)}</Td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
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
