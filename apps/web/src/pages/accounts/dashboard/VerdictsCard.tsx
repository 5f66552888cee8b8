import type { Overview } from '@probity/sdk'
import { DayChart } from '../../../charts/DayChart.tsx'
import { totalOf, VERDICT_COLORS, VERDICTS, verdictLook } from '../../../labels/verdict.tsx'
import { Card } from '../../../ui/Card.tsx'
import { formatCount, formatDay, formatNumber } from '../../../ui/format.ts'
import { type Column, DataTable } from '../../../ui/Table.tsx'
import { CardError } from './DashboardCards.tsx'

type Verdicts = NonNullable<Overview['verdicts']>

/** Verdicts by day as bars, and as a table with the figures. */
export function VerdictsCard({ verdicts, onRetry }: { verdicts: Overview['verdicts']; onRetry(): void }) {
  return (
    <Card title="Verdicts by day" about="Single, bulk and list validations. A list counts on the day it was confirmed.">
      {verdicts === null && <CardError what="The verdicts" onRetry={onRetry} />}
      {verdicts && totalOf(verdicts.total) === 0 && <p className="text-soft">No validations in this period.</p>}
      {verdicts && totalOf(verdicts.total) > 0 && <Drawn verdicts={verdicts} />}
    </Card>
  )
}

function Drawn({ verdicts }: { verdicts: Verdicts }) {
  const summary = summaryOf(verdicts)
  return (
    <figure className="flex flex-col gap-4">
      <figcaption className="text-soft">{summary}</figcaption>
      <DayChart
        days={verdicts.days.map(({ occurred_on: day }) => day)}
        series={VERDICTS.map((verdict) => ({
          name: verdictLook(verdict).word,
          color: VERDICT_COLORS[verdict],
          values: verdicts.days.map((day) => day[verdict]),
        }))}
        summary={summary}
      />
      <details>
        <summary className="w-fit text-accent-text underline-offset-4 hover:underline">Show as a table</summary>
        <DayTable days={verdicts.days} />
      </details>
    </figure>
  )
}

function summaryOf({ total }: Verdicts): string {
  const parts = VERDICTS.map((verdict) => `${formatNumber(total[verdict])} ${verdict}`)
  return `${formatCount(totalOf(total), 'address', 'addresses')}: ${parts.join(', ')}.`
}

/** Newest day first. Days without validations are omitted; the bars show them as empty. */
function DayTable({ days }: { days: Verdicts['days'] }) {
  return (
    <DataTable
      caption="Verdicts by day"
      className="mt-3 max-h-96 overflow-y-auto"
      columns={COLUMNS}
      rows={days.filter((day) => totalOf(day) > 0).toReversed()}
      keyOf={({ occurred_on: day }) => day}
    />
  )
}

const COLUMNS: Column<Verdicts['days'][number]>[] = [
  { head: 'Day', className: 'whitespace-nowrap', cell: ({ occurred_on: day }) => formatDay(day) },
  ...VERDICTS.map((verdict) => ({
    head: verdictLook(verdict).word,
    align: 'end' as const,
    cell: (day: Verdicts['days'][number]) => formatNumber(day[verdict]),
  })),
]
