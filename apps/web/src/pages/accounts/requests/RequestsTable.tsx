import type { RequestLogEntry } from '@probity/sdk'
import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react'
import { VerdictBadge } from '../../../labels/verdict.tsx'
import { Badge } from '../../../ui/Badge.tsx'
import { DateTime } from '../../../ui/DateTime.tsx'
import { formatCharge, formatMs } from '../../../ui/format.ts'
import { type Column, DataTable } from '../../../ui/Table.tsx'

const COLUMNS: Column<RequestLogEntry>[] = [
  { head: 'Request', className: 'min-w-56', cell: (request) => <RequestLink of={request} /> },
  { head: 'Status', cell: (request) => <Outcome of={request} /> },
  { head: 'Verdict', cell: ({ result_status: status }) => (status ? <VerdictBadge status={status} /> : <Nothing />) },
  {
    head: 'Key',
    className: 'max-w-40 text-soft [overflow-wrap:anywhere]',
    cell: (request) => request.key_name ?? <Nothing />,
  },
  { head: 'Duration', align: 'end', className: 'whitespace-nowrap', cell: (request) => formatMs(request.duration_ms) },
  { head: 'Credits', align: 'end', cell: (request) => request.credits ?? <Nothing /> },
  { head: 'Received', className: 'whitespace-nowrap text-soft', cell: (request) => <Received of={request} /> },
]

/** One page of requests. */
export function RequestsTable({ requests }: { requests: RequestLogEntry[] }) {
  return (
    <DataTable
      caption="Requests"
      columns={COLUMNS}
      rows={requests}
      keyOf={({ id }) => id}
      card={(request) => <RequestCard of={request} />}
    />
  )
}

function RequestCard({ of: request }: { of: RequestLogEntry }) {
  return (
    <>
      <RequestLink of={request} />
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Outcome of={request} />
        {request.result_status && <VerdictBadge status={request.result_status} />}
      </div>
      <p className="text-[0.8125rem] text-faint [overflow-wrap:anywhere]">
        <Received of={request} /> · {formatMs(request.duration_ms)}
        {request.key_name && ` · ${request.key_name}`}
        {request.credits !== null && ` · ${formatCharge(request.credits, request.livemode)}`}
      </p>
    </>
  )
}

function Received({ of: { occurred_at: at } }: { of: RequestLogEntry }) {
  return <DateTime at={at} seconds />
}

function RequestLink({ of: { id, method, route } }: { of: RequestLogEntry }) {
  return (
    <Link
      from="/requests"
      to="."
      search={(now) => ({ ...now, request: id })}
      resetScroll={false}
      className="inline-flex min-h-6 items-center font-mono text-[0.8125rem] [overflow-wrap:anywhere] underline-offset-4 hover:underline pointer-coarse:min-h-10"
    >
      {method} {withoutPrefix(route)}
    </Link>
  )
}

/** All routes share the prefix, so the table omits it. */
function withoutPrefix(route: string): string {
  return route.replace(/^\/api\/v1/, '')
}

function Outcome({ of: { http_status: status, code } }: { of: RequestLogEntry }) {
  return (
    <div className="flex flex-col items-start gap-0.5">
      <StatusBadge status={status} />
      {code && <code className="font-mono text-xs text-soft [overflow-wrap:anywhere]">{code}</code>}
    </div>
  )
}

function Nothing() {
  return <span className="text-faint">–</span>
}

/** The HTTP status of a response. Icon and color show its class. */
export function StatusBadge({ status }: { status: number }) {
  if (status >= 500) {
    return (
      <Badge tone="invalid" icon={<CircleX role="img" aria-label="Server error" />}>
        {status}
      </Badge>
    )
  }
  if (status >= 400) {
    return (
      <Badge tone="risky" icon={<TriangleAlert role="img" aria-label="Client error" />}>
        {status}
      </Badge>
    )
  }
  return (
    <Badge tone="valid" icon={<CircleCheck role="img" aria-label="Success" />}>
      {status}
    </Badge>
  )
}
