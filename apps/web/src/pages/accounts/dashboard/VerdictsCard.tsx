import type { Overview } from '@probity/sdk'
import { totalOf, VerdictBars } from '../../../charts/VerdictBars.tsx'
import { VERDICTS, verdictLook } from '../../../labels/verdict.tsx'
import { Card } from '../../../ui/Card.tsx'
import { formatCount, formatDay, formatNumber } from '../../../ui/format.ts'
import { Table, Td, Th } from '../../../ui/Table.tsx'
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
      <VerdictBars
        days={verdicts.days.map(({ occurred_on: day, ...counts }) => ({ day, ...counts }))}
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
  const shown = days.filter((day) => totalOf(day) > 0).toReversed()
  return (
    <Table caption="Verdicts by day" className="mt-3 max-h-96 overflow-y-auto">
      <thead>
        <tr>
          <Th>Day</Th>
          {VERDICTS.map((verdict) => (
            <Th key={verdict} align="end">
              {verdictLook(verdict).word}
            </Th>
          ))}
        </tr>
      </thead>
      <tbody>
        {shown.map((day) => (
          <tr key={day.occurred_on}>
            <Td className="whitespace-nowrap">{formatDay(day.occurred_on)}</Td>
            {VERDICTS.map((verdict) => (
              <Td key={verdict} align="end">
                {formatNumber(day[verdict])}
              </Td>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  )
}
