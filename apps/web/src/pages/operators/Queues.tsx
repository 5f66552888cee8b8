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
import { PageFrame } from '../../ui/States.tsx'
import { type Column, DataTable } from '../../ui/Table.tsx'
import { ConfirmCall } from './ConfirmCall.tsx'
import { queuesQuery } from './queries.ts'
import { RefreshLine, useRefreshing } from './RefreshLine.tsx'

/** Queue sizes, waiting times and stalled lists. */
export function Queues() {
  const refreshing = useRefreshing()
  const query = useQuery({
    ...queuesQuery,
    refetchInterval: refreshing.everyMs,
  })
  const { data, isError, refetch, dataUpdatedAt } = query
  if (data === undefined)
    return <PageFrame query={query} failed="The queues could not be loaded" loading="Loading queues" lines={6} />
  return (
    <>
      <RefreshLine refreshing={refreshing} at={dataUpdatedAt} onRefresh={() => void refetch()} />
      {isError && <Callout kind="warning">The data could not be refreshed. It may be out of date.</Callout>}
      <div className="grid grid-cols-1 gap-6 lg:grid-cols-3">
        <InteractiveCard queues={data} />
        <ListsCard queues={data} />
        <WebhooksCard queues={data} />
      </div>
      <StalledLists stuck={data.jobs.stalled} />
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
      <DataTable
        caption="Deferred addresses by retry time"
        columns={[
          { head: 'Retry', isRowHead: true, cell: ([, label]) => label },
          { head: 'Interactive', align: 'end', cell: ([name]) => formatNumber(validations.deferred[name]) },
          { head: 'Lists', align: 'end', cell: ([name]) => formatNumber(jobs.deferred[name]) },
        ]}
        rows={DUE}
        keyOf={([name]) => name}
      />
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
      <DataTable
        caption="Tasks in Redis"
        columns={[
          { head: 'Queue', isRowHead: true, cell: ({ name }) => TASKS[name] ?? name },
          { head: 'Waiting', align: 'end', cell: ({ waiting }) => countOf(waiting) },
          { head: 'Active', align: 'end', cell: ({ active }) => countOf(active) },
        ]}
        rows={tasks}
        keyOf={({ name }) => name}
      />
    </Card>
  )
}

function countOf(count: number | null): string {
  return count === null ? 'Redis unavailable' : formatNumber(count)
}

const STALLED_COLUMNS: Column<StalledJob>[] = [
  {
    head: 'Account and list',
    isRowHead: true,
    className: 'max-w-72 min-w-48 font-normal',
    cell: (list) => (
      <>
        <p className="[overflow-wrap:anywhere]">{list.account_name}</p>
        <code className="font-mono text-xs text-faint [overflow-wrap:anywhere]">{list.job_id}</code>
      </>
    ),
  },
  { head: 'State', cell: ({ status }) => jobStatusLabel(status) },
  { head: 'Done', align: 'end', cell: ({ done, total }) => `${formatNumber(done)} of ${formatNumber(total)}` },
  { head: 'Last progress', cell: ({ last_done_at: at }) => (at ? <RelativeTime at={at} /> : 'Never') },
]

/** Lists without progress for 15 minutes although work is ready. */
function StalledLists({ stuck }: { stuck: StalledJob[] }) {
  const [asked, setAsked] = useState<StalledJob>()
  const requeue = (list: StalledJob) => (
    <Button size="sm" onClick={() => setAsked(list)} aria-label={`Requeue: ${list.job_id}`}>
      Requeue
    </Button>
  )
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
        <DataTable
          caption="Stalled lists"
          cardsBelow="lg"
          cardLook="boxes"
          columns={[...STALLED_COLUMNS, { head: 'Actions', isHeadHidden: true, align: 'end', cell: requeue }]}
          rows={stuck}
          keyOf={(list) => list.job_id}
        />
      )}
      {asked && (
        <ConfirmCall
          title="Requeue this list?"
          confirm="Requeue list"
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
