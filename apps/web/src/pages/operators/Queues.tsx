import { jobStatusLabel } from '@probity/contract/constants/labels'
import type { DueTimes, OperatorQueues, StalledJob } from '@probity/contract/schemas/operators'
import { useQuery } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Callout } from '../../ui/Callout.tsx'
import { Card } from '../../ui/Card.tsx'
import { formatNumber } from '../../ui/format.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import { Table, Td, Th } from '../../ui/Table.tsx'
import { ConfirmCall } from './ConfirmCall.tsx'
import { queuesQuery } from './queries.ts'
import { RefreshLine, useRefreshing } from './RefreshLine.tsx'

/** Queue sizes, waiting times and stalled lists. */
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
      {isError && <Callout kind="warning">The data could not be refreshed. It may be out of date.</Callout>}
      <div className="grid grid-cols-1 gap-6 lg:grid-cols-3">
        <InteractiveCard queues={data} />
        <ListsCard queues={data} />
        <WebhooksCard queues={data} />
      </div>
      <StuckLists stuck={data.jobs.stalled} />
      <DeferredCard queues={data} />
      <TasksCard queues={data} />
    </>
  )
}

type QueuesProps = { queues: OperatorQueues }

function InteractiveCard({ queues: { validations } }: QueuesProps) {
  return (
    <Card title="Interactive queue" about="Single and bulk validations.">
      <Facts>
        <Fact name="Waiting">{formatNumber(validations.waiting)}</Fact>
        <Fact name="Oldest">{validations.oldest_at ? <RelativeTime at={validations.oldest_at} /> : 'None'}</Fact>
        <Fact name="Enqueued/min">{formatNumber(validations.enqueued_per_minute)}</Fact>
        <Fact name="Completed/min">{formatNumber(validations.completed_per_minute)}</Fact>
      </Facts>
    </Card>
  )
}

function ListsCard({ queues: { jobs } }: QueuesProps) {
  return (
    <Card title="Lists" about="Addresses of lists in progress.">
      <Facts>
        <Fact name="Lists in progress">{formatNumber(jobs.in_progress)}</Fact>
        <Fact name="Paused lists">{formatNumber(jobs.paused)}</Fact>
        <Fact name="Waiting addresses">{formatNumber(jobs.waiting)}</Fact>
        <Fact name="Active addresses">{formatNumber(jobs.active)}</Fact>
        <Fact name="Completed/min">{formatNumber(jobs.completed_per_minute)}</Fact>
      </Facts>
    </Card>
  )
}

function WebhooksCard({ queues: { webhooks } }: QueuesProps) {
  return (
    <Card title="Webhooks" about="Deliveries to customer endpoints.">
      <Facts>
        <Fact name="Due now">{formatNumber(webhooks.due)}</Fact>
        <Fact name="Oldest">{webhooks.oldest_at ? <RelativeTime at={webhooks.oldest_at} /> : 'None'}</Fact>
        <Fact name="Retrying later">{formatNumber(webhooks.later)}</Fact>
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

/** Addresses that a mail server deferred or that our rate limiter throttled. */
function DeferredCard({ queues: { validations, jobs } }: QueuesProps) {
  return (
    <Card title="Deferred" about="Addresses deferred by the mail server or by our own rate limiter, by retry time.">
      <Table caption="Deferred addresses by retry time">
        <thead>
          <tr>
            <Th>Retry</Th>
            <Th align="end">Interactive</Th>
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

const TASKS: Record<string, string> = { interactive: 'Interactive', batches: 'List batches', webhooks: 'Webhooks' }

function TasksCard({ queues: { tasks } }: QueuesProps) {
  return (
    <Card
      title="Tasks in Redis"
      about="Tasks that reference rows in PostgreSQL. Lost tasks are enqueued again within seconds; no action is needed."
    >
      <Table caption="Tasks in Redis">
        <thead>
          <tr>
            <Th>Queue</Th>
            <Th align="end">Waiting</Th>
            <Th align="end">Active</Th>
          </tr>
        </thead>
        <tbody className="[&_tr:last-child>*]:border-b-0">
          {tasks.map(({ name, waiting, active }) => (
            <tr key={name}>
              <th scope="row" className="border-b border-line py-2.5 pe-3 text-start font-normal">
                {TASKS[name] ?? name}
              </th>
              <Td align="end">{waiting === null ? 'Redis unavailable' : formatNumber(waiting)}</Td>
              <Td align="end">{active === null ? 'Redis unavailable' : formatNumber(active)}</Td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
  )
}

/** Lists without progress for 15 minutes although work is ready. */
function StuckLists({ stuck }: { stuck: StalledJob[] }) {
  const [asked, setAsked] = useState<StalledJob>()
  return (
    <Card
      title="Stalled lists"
      about="No progress for 15 minutes, not paused, and at least one address is ready to process."
    >
      {stuck.length === 0 ? (
        <p className="flex items-center gap-2 text-soft">
          <CircleCheck className="size-4 text-valid" aria-hidden="true" />
          No stalled lists.
        </p>
      ) : (
        <Table caption="Stalled lists">
          <thead>
            <tr>
              <Th>List</Th>
              <Th>State</Th>
              <Th align="end">Completed</Th>
              <Th>Last progress</Th>
              <Th align="end">
                <span className="sr-only">Actions</span>
              </Th>
            </tr>
          </thead>
          <tbody className="[&_tr:last-child>*]:border-b-0">
            {stuck.map((list) => (
              <StuckList key={list.job_id} list={list} onRequeue={() => setAsked(list)} />
            ))}
          </tbody>
        </Table>
      )}
      {asked && (
        <ConfirmCall
          title="Requeue this list?"
          confirm="Requeue"
          path={`/queues/jobs/${asked.job_id}/requeue`}
          done="Unclaimed batches were requeued."
          onClose={() => setAsked(undefined)}
        >
          <p>
            Dispatched batches that no worker has claimed are enqueued again. No address is validated or charged twice.
          </p>
        </ConfirmCall>
      )}
    </Card>
  )
}

function StuckList({ list, onRequeue }: { list: StalledJob; onRequeue(): void }) {
  return (
    <tr>
      <th scope="row" className="max-w-72 min-w-48 border-b border-line py-2.5 pe-3 text-start font-normal">
        <p className="[overflow-wrap:anywhere]">{list.account_name}</p>
        <code className="font-mono text-xs text-faint [overflow-wrap:anywhere]">{list.job_id}</code>
      </th>
      <Td>{jobStatusLabel(list.status)}</Td>
      <Td align="end">
        {formatNumber(list.done)} of {formatNumber(list.total)}
      </Td>
      <Td>{list.last_done_at ? <RelativeTime at={list.last_done_at} /> : 'Never'}</Td>
      <Td align="end">
        <Button size="sm" onClick={onRequeue} aria-label={`Requeue: ${list.job_id}`}>
          Requeue
        </Button>
      </Td>
    </tr>
  )
}
