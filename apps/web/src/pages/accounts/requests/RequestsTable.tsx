import type { RequestLogEntry } from '@probity/sdk'
import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react'
import { VerdictBadge } from '../../../labels/verdict.tsx'
import { Badge } from '../../../ui/Badge.tsx'
import { formatMs, formatTime } from '../../../ui/format.ts'
import { Table, Td, Th, useNarrow } from '../../../ui/Table.tsx'

/** One page of requests: a table on wide screens, cards on narrow ones. */
export function RequestsTable({ requests }: { requests: RequestLogEntry[] }) {
  if (useNarrow()) return <RequestCards requests={requests} />
  return (
    <Table caption="Requests">
      <thead>
        <tr>
          <Th>Request</Th>
          <Th>Status</Th>
          <Th>Verdict</Th>
          <Th>Key</Th>
          <Th align="end">Duration</Th>
          <Th align="end">Credits</Th>
          <Th>Received</Th>
        </tr>
      </thead>
      <tbody className="[&_tr:last-child>td]:border-b-0">
        {requests.map((request) => (
          <tr key={request.id}>
            <Td className="min-w-56">
              <RequestLink of={request} />
            </Td>
            <Td>
              <Outcome of={request} />
            </Td>
            <Td>{request.result_status ? <VerdictBadge status={request.result_status} /> : <Nothing />}</Td>
            <Td className="max-w-40 text-soft [overflow-wrap:anywhere]">{request.key_name ?? <Nothing />}</Td>
            <Td align="end" className="whitespace-nowrap">
              {formatMs(request.duration_ms)}
            </Td>
            <Td align="end">{request.credits ?? <Nothing />}</Td>
            <Td className="whitespace-nowrap text-soft">
              <time dateTime={request.occurred_at}>{formatTime(request.occurred_at)}</time>
            </Td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

/** The same fields as cards. */
function RequestCards({ requests }: { requests: RequestLogEntry[] }) {
  return (
    <ul aria-label="Requests" className="flex flex-col divide-y divide-line border-y border-line">
      {requests.map((request) => (
        <li key={request.id} className="flex flex-col gap-1.5 py-3">
          <RequestLink of={request} />
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <Outcome of={request} />
            {request.result_status && <VerdictBadge status={request.result_status} />}
          </div>
          <p className="text-[0.8125rem] text-faint [overflow-wrap:anywhere]">
            <time dateTime={request.occurred_at}>{formatTime(request.occurred_at)}</time> ·{' '}
            {formatMs(request.duration_ms)}
            {request.key_name && ` · ${request.key_name}`}
            {request.credits !== null && ` · ${request.credits === 1 ? '1 credit' : `${request.credits} credits`}`}
          </p>
        </li>
      ))}
    </ul>
  )
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
