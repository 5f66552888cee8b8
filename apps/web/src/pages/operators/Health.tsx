import type { HealthState } from '@probity/contract/constants/operators'
import type { HealthPart } from '@probity/contract/schemas/operators'
import { useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, CircleMinus, TriangleAlert } from 'lucide-react'
import { Badge, type Tone } from '../../ui/Badge.tsx'
import { Callout } from '../../ui/Callout.tsx'
import { formatDateTime } from '../../ui/format.ts'
import { PageFrame } from '../../ui/States.tsx'
import { healthQuery } from './queries.ts'
import { RefreshLine, useRefreshing } from './RefreshLine.tsx'

/** The current state of every component of the installation. */
export function Health() {
  const refreshing = useRefreshing()
  const query = useQuery({
    ...healthQuery,
    refetchInterval: refreshing.everyMs,
  })
  const { data, isError, refetch, dataUpdatedAt } = query
  if (data === undefined)
    return <PageFrame query={query} failed="The health status could not be loaded" loading="Loading health" lines={6} />
  const inTrouble = data.parts.filter(({ state }) => state === 'down' || state === 'degraded')
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 className="text-base font-semibold">{summary(inTrouble, data.parts.length)}</h2>
        <RefreshLine refreshing={refreshing} at={dataUpdatedAt} onRefresh={() => void refetch()} />
      </div>
      {isError && <Callout kind="warning">The data could not be refreshed. It may be out of date.</Callout>}
      <ul aria-label="Components" className="grid grid-cols-1 gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {data.parts
          .toSorted((a, b) => LOOKS[a.state].order - LOOKS[b.state].order)
          .map((part) => (
            <HealthTile key={part.name} part={part} />
          ))}
      </ul>
    </div>
  )
}

/** Names the components as such: "Doctor needs attention" would read like a sentence about a person. */
function summary(inTrouble: HealthPart[], count: number): string {
  if (inTrouble.length === 0) return 'All systems operational'
  const names = new Intl.ListFormat('en-GB').format(inTrouble.map(({ name }) => name))
  return `${inTrouble.length} of ${count} components ${inTrouble.length === 1 ? 'needs' : 'need'} attention: ${names}`
}

const LOOKS: Record<HealthState, { word: string; tone: Tone; Icon: typeof CircleCheck; order: number }> = {
  down: { word: 'Down', tone: 'invalid', Icon: CircleAlert, order: 0 },
  degraded: { word: 'Degraded', tone: 'risky', Icon: TriangleAlert, order: 1 },
  ok: { word: 'OK', tone: 'valid', Icon: CircleCheck, order: 2 },
  off: { word: 'Off', tone: 'unknown', Icon: CircleMinus, order: 3 },
}

function HealthTile({ part: { name, state, detail, since_at: since } }: { part: HealthPart }) {
  const { word, tone, Icon } = LOOKS[state]
  return (
    <li className="flex flex-col gap-1.5 rounded-lg border border-line bg-surface px-4 py-3 shadow-card">
      <div className="flex items-center justify-between gap-3">
        <h3 className="font-medium">{name}</h3>
        <Badge tone={tone} icon={<Icon aria-hidden="true" />}>
          {word}
        </Badge>
      </div>
      <p className="text-[0.8125rem] text-soft [overflow-wrap:anywhere]">{detail}</p>
      {since && (
        <p className="text-xs text-faint">
          Since <time dateTime={since}>{formatDateTime(since)}</time>
        </p>
      )}
    </li>
  )
}
