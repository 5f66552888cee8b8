import type { Overview } from '@probity/sdk'
import { Link } from '@tanstack/react-router'
import { Card } from '../../../ui/Card.tsx'
import { formatNumber } from '../../../ui/format.ts'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { Table, Td, Th } from '../../../ui/Table.tsx'
import { StatusBadge } from '../requests/StatusBadge.tsx'
import { PartFailed } from './PartFailed.tsx'

/** API errors of the last 24 hours by code, with links to the requests. */
export function ProblemsCard({ problems, onRetry }: { problems: Overview['problems']; onRetry(): void }) {
  return (
    <Card title="API errors" about="Last 24 hours, by problem code.">
      {problems === null && <PartFailed what="The errors" onRetry={onRetry} />}
      {problems?.length === 0 && <p className="text-soft">No API errors.</p>}
      {problems && problems.length > 0 && (
        <Table caption="API errors in the last 24 hours">
          <thead>
            <tr>
              <Th>Code</Th>
              <Th className="max-sm:hidden">Status</Th>
              <Th align="end">Requests</Th>
              <Th className="max-sm:hidden">Last seen</Th>
            </tr>
          </thead>
          <tbody className="[&_tr:last-child>td]:border-b-0">
            {problems.map(({ code, http_status: status, count, last_occurred_at: lastAt }) => (
              <tr key={code}>
                <Td className="min-w-28">
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
                </Td>
                <Td className="max-sm:hidden">
                  <StatusBadge status={status} />
                </Td>
                <Td align="end">{formatNumber(count)}</Td>
                <Td className="text-soft max-sm:hidden">
                  <RelativeTime at={lastAt} />
                </Td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </Card>
  )
}
