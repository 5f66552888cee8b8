import type { DueTimes, OperatorQueues } from '@probity/contract/operator'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Callout } from '../../ui/Callout.tsx'
import { Card } from '../../ui/Card.tsx'
import { formatNumber } from '../../ui/format.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import { Table, Td, Th } from '../../ui/Table.tsx'
import { queuesQuery } from './queries.ts'
import { RefreshLine } from './RefreshLine.tsx'
import { StuckLists } from './StuckLists.tsx'
import { useRefreshing } from './use-refreshing.ts'

/** What waits, how long, and what has come to a stop. */
export function Queues() {
  const refreshing = useRefreshing()
  const { data, error, isError, refetch, dataUpdatedAt } = useQuery({
    ...queuesQuery,
    refetchInterval: refreshing.everyMs,
  })
  if (data === undefined) {
    return isError ? (
      <ErrorState error={error} onRetry={() => void refetch()} what="The queues could not be loaded" />
    ) : (
      <Skeleton lines={6} label="Loading queues" />
    )
  }
  return (
    <>
      <RefreshLine refreshing={refreshing} at={dataUpdatedAt} onRefresh={() => void refetch()} />
      {isError && <Callout kind="warning">This is as last seen: the service did not answer just now.</Callout>}
      <div className="grid grid-cols-1 gap-6 lg:grid-cols-3">
        <CallersCard queues={data} />
        <ListsCard queues={data} />
        <WebhooksCard queues={data} />
      </div>
      <StuckLists stuck={data.jobs.stalled} />
      <PutOffCard queues={data} />
      <TasksCard queues={data} />
    </>
  )
}

type QueuesProps = { queues: OperatorQueues }

function CallersCard({ queues: { validations } }: QueuesProps) {
  return (
    <Card title="Callers" about="Single addresses and JSON lists.">
      <Facts>
        <Fact name="Wait for a worker">{formatNumber(validations.waiting)}</Fact>
        <Fact name="The oldest since">
          {validations.oldest_at ? <RelativeTime at={validations.oldest_at} /> : 'none waits'}
        </Fact>
        <Fact name="Come in a minute">{formatNumber(validations.in_per_minute)}</Fact>
        <Fact name="Go in a minute">{formatNumber(validations.out_per_minute)}</Fact>
      </Facts>
    </Card>
  )
}

function ListsCard({ queues: { jobs } }: QueuesProps) {
  return (
    <Card title="Lists" about="Addresses of files that are under way.">
      <Facts>
        <Fact name="Lists under way">{formatNumber(jobs.in_progress)}</Fact>
        <Fact name="Lists paused">{formatNumber(jobs.paused)}</Fact>
        <Fact name="Addresses that wait">{formatNumber(jobs.waiting)}</Fact>
        <Fact name="Addresses worked on">{formatNumber(jobs.active)}</Fact>
        <Fact name="Go in a minute">{formatNumber(jobs.out_per_minute)}</Fact>
      </Facts>
    </Card>
  )
}

function WebhooksCard({ queues: { webhooks } }: QueuesProps) {
  return (
    <Card title="Webhooks" about="Events on their way to customers.">
      <Facts>
        <Fact name="Due now">{formatNumber(webhooks.due)}</Fact>
        <Fact name="The oldest since">
          {webhooks.oldest_at ? <RelativeTime at={webhooks.oldest_at} /> : 'none is due'}
        </Fact>
        <Fact name="To be tried later">{formatNumber(webhooks.later)}</Fact>
      </Facts>
    </Card>
  )
}

function Facts({ children }: { children: ReactNode }) {
  return <dl className="flex flex-col gap-1.5">{children}</dl>
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-3">
      <dt className="text-soft">{name}</dt>
      <dd className="font-medium tabular-nums">{children}</dd>
    </div>
  )
}

const DUE: [keyof DueTimes, string][] = [
  ['minute', 'Within a minute'],
  ['ten_minutes', 'Within ten minutes'],
  ['hour', 'Within an hour'],
  ['later', 'Later'],
]

/** What a mail server, or our own pace, put off. */
function PutOffCard({ queues: { validations, jobs } }: QueuesProps) {
  return (
    <Card
      title="Put off"
      about="Addresses that a mail server or our own pace put off, by when they are asked about again."
    >
      <Table caption="Put off, by when it is due">
        <thead>
          <tr>
            <Th>Due</Th>
            <Th align="end">Callers</Th>
            <Th align="end">Lists</Th>
          </tr>
        </thead>
        <tbody className="[&_tr:last-child>*]:border-b-0">
          {DUE.map(([name, label]) => (
            <tr key={name}>
              <th scope="row" className="border-b border-line py-2.5 pe-3 text-start font-normal">
                {label}
              </th>
              <Td align="end">{formatNumber(validations.deferred[name])}</Td>
              <Td align="end">{formatNumber(jobs.deferred[name])}</Td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
  )
}

const TASKS: Record<string, string> = { interactive: 'Callers', batches: 'Batches of lists', webhooks: 'Webhooks' }

function TasksCard({ queues: { tasks } }: QueuesProps) {
  return (
    <Card
      title="Tasks in Redis"
      about="Notes for workers of what stands in PostgreSQL. One that is lost is written again within seconds, so nothing has to be done about it."
    >
      <Table caption="Tasks in Redis">
        <thead>
          <tr>
            <Th>Queue</Th>
            <Th align="end">Wait</Th>
            <Th align="end">Worked on</Th>
          </tr>
        </thead>
        <tbody className="[&_tr:last-child>*]:border-b-0">
          {tasks.map(({ name, waiting, active }) => (
            <tr key={name}>
              <th scope="row" className="border-b border-line py-2.5 pe-3 text-start font-normal">
                {TASKS[name] ?? name}
              </th>
              <Td align="end">{waiting === null ? 'Redis is away' : formatNumber(waiting)}</Td>
              <Td align="end">{active === null ? 'Redis is away' : formatNumber(active)}</Td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
  )
}
