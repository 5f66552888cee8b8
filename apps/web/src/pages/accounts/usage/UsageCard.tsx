import type { Usage } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ChartColumn } from 'lucide-react'
import { DayBars } from '../../../charts/DayBars.tsx'
import { type Scene, useScene } from '../../../session/workspace.ts'
import { buttonClass } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { formatCount, formatDay, formatNumber } from '../../../ui/format.ts'
import { EmptyState, ErrorState, Skeleton } from '../../../ui/States.tsx'
import { Table, Td, Th } from '../../../ui/Table.tsx'
import { Segments } from '../../../ui/Tabs.tsx'
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
  const { data, isError, error, refetch } = useQuery(usageQuery(scene, days, 'day'))
  if (data === undefined) {
    return isError ? (
      <ErrorState what="The usage by day could not be loaded" error={error} onRetry={() => void refetch()} />
    ) : (
      <Skeleton lines={6} />
    )
  }
  if (data.total.requests === 0 && data.total.credits_used === 0 && data.total.credits_refunded === 0) {
    return <NoUsage />
  }
  return (
    <figure className="flex flex-col gap-4">
      {isError && <Callout kind="warning">The data could not be refreshed. It may be out of date.</Callout>}
      <figcaption className="text-soft">{summaryOf(data)}</figcaption>
      <DayBars {...barsOf(data, scene.mode)} summary={summaryOf(data)} />
      <details>
        <summary className="w-fit text-accent-text underline-offset-4 hover:underline">Show as a table</summary>
        <DayTable usage={data} />
      </details>
    </figure>
  )
}

/** Test mode uses no credits, so the chart shows requests. */
function barsOf({ days = [] }: Usage, mode: Scene['mode']) {
  if (mode === 'test') {
    const bars = days.map(({ occurred_on: day, requests }) => ({ day, value: requests, inFront: 0 }))
    return { days: bars, names: { value: 'Requests' } }
  }
  const bars = days.map(({ occurred_on: day, credits_used, credits_refunded }) => ({
    day,
    value: credits_used,
    inFront: credits_refunded,
  }))
  return { days: bars, names: { value: 'Credits used', inFront: 'Credits refunded' } }
}

function summaryOf({ from_on: from, to_on: to, total }: Usage): string {
  const { requests, credits_used, credits_refunded } = total
  const credits = `${formatCount(credits_used, 'credit')} used, ${formatNumber(credits_refunded)} refunded`
  return `${formatDay(from)} to ${formatDay(to)}: ${formatCount(requests, 'API request')}, ${credits}.`
}

/** Newest day first. Days without usage are omitted: the chart shows them as empty. */
function DayTable({ usage: { days = [] } }: { usage: Usage }) {
  const shown = days.filter((day) => day.requests + day.credits_used + day.credits_refunded > 0).toReversed()
  return (
    <Table caption="Usage by day" className="mt-3 max-h-96 overflow-y-auto">
      <thead>
        <tr>
          <Th>Day</Th>
          <Th align="end">Requests</Th>
          <Th align="end">Credits used</Th>
          <Th align="end">Credits refunded</Th>
        </tr>
      </thead>
      <tbody>
        {shown.map(({ occurred_on: day, requests, credits_used, credits_refunded }) => (
          <tr key={day}>
            <Td className="whitespace-nowrap">{formatDay(day)}</Td>
            <Td align="end">{formatNumber(requests)}</Td>
            <Td align="end">{formatNumber(credits_used)}</Td>
            <Td align="end">{formatNumber(credits_refunded)}</Td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

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
