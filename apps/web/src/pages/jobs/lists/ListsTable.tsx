import type { BulkJob } from '@probity/sdk'
import { Link } from '@tanstack/react-router'
import { formatDate, formatNumber } from '../../../ui/format.ts'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { Table, Td, Th } from '../../../ui/Table.tsx'
import { ListProgress, VerdictCounts } from './ListProgress.tsx'

/** The lists of one page. Narrow screens show cards instead of the table. */
export function ListsTable({ lists }: { lists: BulkJob[] }) {
  return (
    <Table caption="Lists" className="hidden rounded-lg border border-line bg-surface px-4 shadow-card md:block">
      <thead>
        <tr>
          <Th>Name</Th>
          <Th>Status</Th>
          <Th align="end">Addresses</Th>
          <Th>Verdicts</Th>
          <Th align="end">Credits</Th>
          <Th>Created</Th>
          <Th>Expires</Th>
        </tr>
      </thead>
      <tbody className="[&_tr:last-child>td]:border-b-0">
        {lists.map((list) => (
          <ListRow key={list.id} list={list} />
        ))}
      </tbody>
    </Table>
  )
}

function ListRow({ list }: { list: BulkJob }) {
  return (
    <tr className="group">
      <Td className="min-w-40 py-3">
        <ListLink list={list} />
      </Td>
      <Td className="w-40">
        <ListProgress list={list} />
      </Td>
      <Td align="end">{formatNumber(list.unique_count)}</Td>
      <Td className="w-60 min-w-52">
        <VerdictCounts list={list} />
      </Td>
      <Td align="end">{creditsOf(list)}</Td>
      <Td className="text-soft">
        <RelativeTime at={list.created_at} />
      </Td>
      <Td className="whitespace-nowrap text-soft">{formatDate(list.expires_on)}</Td>
    </tr>
  )
}

function ListLink({ list: { id, filename } }: { list: BulkJob }) {
  return (
    <Link
      to="/lists/$jobId"
      params={{ jobId: id }}
      className="font-medium [overflow-wrap:anywhere] underline-offset-4 group-hover:text-accent-text hover:underline"
    >
      {filename}
    </Link>
  )
}

/** The same fields as cards. */
export function ListCards({ lists }: { lists: BulkJob[] }) {
  return (
    <ul aria-label="Lists" className="flex flex-col gap-3 md:hidden">
      {lists.map((list) => (
        <li key={list.id} className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-4 shadow-card">
          <ListLink list={list} />
          <ListProgress list={list} />
          <VerdictCounts list={list} words />
          <dl className="grid grid-cols-2 gap-x-4 gap-y-2 text-[0.8125rem] [&_dt]:text-faint">
            <div>
              <dt>Addresses</dt>
              <dd className="tabular-nums">{formatNumber(list.unique_count)}</dd>
            </div>
            <div>
              <dt>Credits</dt>
              <dd className="tabular-nums">{creditsOf(list)}</dd>
            </div>
            <div>
              <dt>Created</dt>
              <dd>
                <RelativeTime at={list.created_at} />
              </dd>
            </div>
            <div>
              <dt>Expires</dt>
              <dd>{formatDate(list.expires_on)}</dd>
            </div>
          </dl>
        </li>
      ))}
    </ul>
  )
}

/** The credits charged for a list after refunds. Test mode is free. */
function creditsOf({ credits: { used, refunded }, livemode }: BulkJob): string {
  return livemode ? formatNumber(used - refunded) : 'None'
}
