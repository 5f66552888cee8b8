import type { BulkJob, Overview } from '@probity/sdk'
import { Link } from '@tanstack/react-router'
import { Clock, Coins, KeyRound, type LucideIcon, RotateCw, TriangleAlert, Webhook } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { DateTime } from '../../../ui/DateTime.tsx'
import { formatCount, formatDateTime, formatNumber, formatRelative } from '../../../ui/format.ts'
import { type Column, DataTable } from '../../../ui/Table.tsx'
import { ListProgress, VerdictCounts } from '../../jobs/lists/ListProgress.tsx'
import { StatusBadge } from '../requests/RequestsTable.tsx'

type Alert = NonNullable<Overview['alerts']>[number]

const LINK = 'font-medium [overflow-wrap:anywhere] underline underline-offset-4'

/** Alerts that need attention. Hidden if there are none. */
export function AlertsCard({ alerts, onRetry }: { alerts: Overview['alerts']; onRetry(): void }) {
  if (alerts?.length === 0) return null
  return (
    <Card title="Needs attention">
      {alerts === null ? (
        <CardError what="The alerts" onRetry={onRetry} />
      ) : (
        <ul aria-label="Needs attention" className="flex flex-col gap-2.5">
          {alerts.map((alert) => (
            <AlertLine key={`${alert.kind} ${alert.id}`} alert={alert} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function AlertLine({ alert }: { alert: Alert }) {
  const { Icon, words } = ALERTS[alert.kind] ?? OTHER
  return (
    <li className="flex items-start gap-2.5">
      <Icon className="mt-0.5 size-4 shrink-0 text-risky" aria-hidden="true" />
      <p className="min-w-0 text-soft">{words(alert)}</p>
    </li>
  )
}

const ALERTS: Record<string, { Icon: LucideIcon; words(alert: Alert): ReactNode }> = {
  webhook_failing: {
    Icon: Webhook,
    words: (alert) => (
      <>
        The webhook {hookLink(alert)} has been failing{since(alert)}.
      </>
    ),
  },
  webhook_disabled: {
    Icon: Webhook,
    words: (alert) => <>The webhook {hookLink(alert)} was disabled after repeated failures.</>,
  },
  credits_low: {
    Icon: Coins,
    words: () => (
      <>
        Credits are running low.{' '}
        <Link to="/usage" className={LINK}>
          View credits
        </Link>
      </>
    ),
  },
  results_expiring: {
    Icon: Clock,
    words: ({ id, name, occurred_at: at }) => (
      <>
        The results of{' '}
        <Link to="/lists/$jobId" params={{ jobId: id ?? '' }} className={LINK}>
          {name ?? 'a list'}
        </Link>{' '}
        expire {at && `on ${formatDateTime(at)}`}. Download them first.
      </>
    ),
  },
  key_unused: {
    Icon: KeyRound,
    words: ({ name, occurred_at: at }) => (
      <>
        The API key{' '}
        <Link to="/keys" className={LINK}>
          {name ?? 'without a name'}
        </Link>{' '}
        was last used {at ? formatRelative(at) : 'long ago'}. Revoke it if it is no longer needed.
      </>
    ),
  },
}

/** For kinds that this version does not know. */
const OTHER = {
  Icon: TriangleAlert,
  words: ({ kind, name }: Alert): ReactNode => `${kind.replaceAll('_', ' ')}${name ? `: ${name}` : ''}`,
}

function hookLink({ id, name }: Alert): ReactNode {
  return (
    <Link to="/webhooks/$webhookId" params={{ webhookId: id ?? '' }} className={LINK}>
      {name ?? 'without a name'}
    </Link>
  )
}

function since({ occurred_at: at }: Alert): string {
  return at ? ` since ${formatDateTime(at)}` : ''
}

/** Lists in progress, followed by the most recently finished ones. */
export function ListsCard({ lists, onRetry }: { lists: Overview['jobs']; onRetry(): void }) {
  const all = (
    <Link to="/lists" className="text-accent-text underline-offset-4 hover:underline">
      All lists
    </Link>
  )
  return (
    <Card title="Lists" actions={all}>
      {lists === null ? <CardError what="The lists" onRetry={onRetry} /> : <Rows {...lists} />}
    </Card>
  )
}

function Rows({ running, ended }: NonNullable<Overview['jobs']>) {
  if (running.length + ended.length === 0) {
    return (
      <p className="text-soft">
        No lists yet.{' '}
        <Link to="/lists/new" className="text-accent-text underline underline-offset-2">
          Upload a list
        </Link>{' '}
        to start.
      </p>
    )
  }
  return (
    <ul aria-label="Recent lists" className="-my-3 flex flex-col divide-y divide-line">
      {[...running, ...ended].map((list) => (
        <Row key={list.id} list={list} />
      ))}
    </ul>
  )
}

function Row({ list }: { list: BulkJob }) {
  return (
    <li className="grid grid-cols-1 items-center gap-x-6 gap-y-2 py-3 sm:grid-cols-[minmax(0,1fr)_10rem_minmax(0,15rem)]">
      <div className="min-w-0">
        <Link
          to="/lists/$jobId"
          params={{ jobId: list.id }}
          className="font-medium [overflow-wrap:anywhere] underline-offset-4 hover:underline"
        >
          {list.name}
        </Link>
        <p className="text-[0.8125rem] text-faint">
          {formatCount(list.unique_count, 'address', 'addresses')}, <DateTime at={list.created_at} />
        </p>
      </div>
      <ListProgress list={list} />
      <VerdictCounts list={list} />
    </li>
  )
}

type Problem = NonNullable<Overview['problems']>[number]

const PROBLEM_COLUMNS: Column<Problem>[] = [
  {
    head: 'Code',
    className: 'min-w-28',
    cell: ({ code, http_status: status }) => (
      <>
        <Link
          to="/requests"
          search={{ code }}
          className="font-mono text-[0.8125rem] [overflow-wrap:anywhere] underline-offset-4 hover:underline"
        >
          {code}
        </Link>
        <span className="mt-1 block sm:hidden">
          <StatusBadge status={status} />
        </span>
      </>
    ),
  },
  {
    head: 'Status',
    headClassName: 'max-sm:hidden',
    className: 'max-sm:hidden',
    cell: (problem) => <StatusBadge status={problem.http_status} />,
  },
  { head: 'Requests', align: 'end', cell: ({ count }) => formatNumber(count) },
  {
    head: 'Last seen',
    headClassName: 'max-sm:hidden',
    className: 'text-soft max-sm:hidden',
    cell: (problem) => <DateTime at={problem.last_occurred_at} />,
  },
]

/** API errors of the last 24 hours by code, with links to the requests. */
export function ProblemsCard({ problems, onRetry }: { problems: Overview['problems']; onRetry(): void }) {
  return (
    <Card title="API errors" about="Last 24 hours, by problem code.">
      {problems === null && <CardError what="The errors" onRetry={onRetry} />}
      {problems?.length === 0 && <p className="text-soft">No API errors.</p>}
      {problems && problems.length > 0 && (
        <DataTable
          caption="API errors in the last 24 hours"
          columns={PROBLEM_COLUMNS}
          rows={problems}
          keyOf={({ code }) => code}
        />
      )}
    </Card>
  )
}

/** Shown for a part that could not be loaded; the other parts are shown normally. */
export function CardError({ what, onRetry }: { what: string; onRetry(): void }) {
  return (
    <Callout
      kind="warning"
      actions={
        <Button size="sm" onClick={onRetry} icon={<RotateCw className="size-4" aria-hidden="true" />}>
          Try again
        </Button>
      }
    >
      {what} could not be loaded.
    </Callout>
  )
}
