import type { Usage } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ChartColumn } from 'lucide-react'
import { DayChart } from '../../../charts/DayChart.tsx'
import { useScene } from '../../../session/workspace.ts'
import { buttonClass } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { formatCount, formatDay, formatNumber } from '../../../ui/format.ts'
import { Segments } from '../../../ui/Segments.tsx'
import { EmptyState, PageFrame } from '../../../ui/States.tsx'
import { type Column, DataTable } from '../../../ui/Table.tsx'
import { RANGE_USUAL, RANGES, type Range } from '../search.ts'
import { usageQuery } from './usage-query.ts'

const CHOICES = RANGES.map((days) => ({ value: String(days), label: days === 365 ? '1 year' : `${days} days` }))

/** Usage by day, as a bar chart and as a table. */
export function UsageCard() {
  const { days = RANGE_USUAL } = useSearch({ from: '/shell/usage' })
  const navigate = useNavigate({ from: '/usage' })
  const choose = (value: string) => {
    const next = Number(value) as Range
    void navigate({
      search: ({ days: _, ...now }) => ({ ...now, ...(next !== RANGE_USUAL && { days: next }) }),
      replace: true,
      resetScroll: false,
    })
  }
  return (
    <Card
      title="Usage by day"
      actions={<Segments label="Days shown" size="sm" value={String(days)} choices={CHOICES} onChange={choose} />}
    >
      <ByDay days={days} />
    </Card>
  )
}

function ByDay({ days }: { days: number }) {
  const scene = useScene()
  const query = useQuery(usageQuery(scene, days, 'day'))
  const isUsed = ({ total }: Usage) => total.requests + total.credits_used + total.credits_refunded > 0
  return (
    <PageFrame
      query={query}
      failed="The usage by day could not be loaded"
      lines={6}
      empty={{ when: (usage) => !isUsed(usage), state: <NoUsage /> }}
    >
      {(usage) => (
        <figure className="flex flex-col gap-4">
          {query.isError && <Callout kind="warning">The data could not be refreshed. It may be out of date.</Callout>}
          <figcaption className="text-soft">{summaryOf(usage)}</figcaption>
          <Chart usage={usage} days={days} />
          <details>
            <summary className="w-fit text-accent-text underline-offset-4 hover:underline">Show as a table</summary>
            <DayTable usage={usage} />
          </details>
        </figure>
      )}
    </PageFrame>
  )
}

/** Test mode uses no credits, so the chart shows requests. */
function Chart({ usage, days }: { usage: Usage; days: number }) {
  const scene = useScene()
  const { data: before } = useQuery(usageQuery(scene, days, 'day', { ago: days }))
  const main = scene.mode === 'test' ? REQUESTS : CREDITS
  const previous = before && seriesOf(before, main).some((value) => value > 0)
  return (
    <DayChart
      days={(usage.days ?? []).map(({ occurred_on: day }) => day)}
      series={(scene.mode === 'test' ? [REQUESTS] : [CREDITS, REFUNDS]).map((series) => ({
        name: series.name,
        color: series.color,
        values: seriesOf(usage, series),
      }))}
      layout="overlaid"
      previous={previous ? { name: `${main.name}, previous ${days} days`, values: seriesOf(before, main) } : undefined}
      summary={summaryOf(usage)}
    />
  )
}

type Counted = { name: string; color: string; field: 'requests' | 'credits_used' | 'credits_refunded' }

const REQUESTS: Counted = { name: 'Requests', color: 'var(--color-accent)', field: 'requests' }
const CREDITS: Counted = { name: 'Credits used', color: 'var(--color-accent)', field: 'credits_used' }
const REFUNDS: Counted = { name: 'Credits refunded', color: 'var(--color-risky-solid)', field: 'credits_refunded' }

const seriesOf = ({ days = [] }: Usage, { field }: Counted) => days.map((day) => day[field])

function summaryOf({ from_on: from, to_on: to, total }: Usage): string {
  const { requests, credits_used, credits_refunded } = total
  const credits = `${formatCount(credits_used, 'credit')} used, ${formatNumber(credits_refunded)} refunded`
  return `${formatDay(from)} to ${formatDay(to)}: ${formatCount(requests, 'API request')}, ${credits}.`
}

/** Newest day first. Days without usage are omitted: the chart shows them as empty. */
function DayTable({ usage: { days = [] } }: { usage: Usage }) {
  return (
    <DataTable
      caption="Usage by day"
      className="mt-3 max-h-96 overflow-y-auto"
      columns={DAY_COLUMNS}
      rows={days.filter((day) => day.requests + day.credits_used + day.credits_refunded > 0).toReversed()}
      keyOf={({ occurred_on: day }) => day}
    />
  )
}

/** All columns fit on a phone. */
const WRAPPED = 'max-sm:whitespace-normal!'

const DAY_COLUMNS: Column<NonNullable<Usage['days']>[number]>[] = [
  { head: 'Day', className: 'whitespace-nowrap', cell: ({ occurred_on: day }) => formatDay(day) },
  { head: 'Requests', align: 'end', cell: ({ requests }) => formatNumber(requests) },
  { head: 'Credits used', align: 'end', headClassName: WRAPPED, cell: ({ credits_used: used }) => formatNumber(used) },
  {
    head: 'Credits refunded',
    align: 'end',
    headClassName: WRAPPED,
    cell: ({ credits_refunded: refunded }) => formatNumber(refunded),
  },
]

function NoUsage() {
  return (
    <EmptyState
      icon={<ChartColumn aria-hidden="true" />}
      title="No usage on these days"
      action={
        <Link to="/validate" className={buttonClass('primary')}>
          Validate address
        </Link>
      }
    >
      Validations in the web app, in lists and by API are counted by day.
    </EmptyState>
  )
}
