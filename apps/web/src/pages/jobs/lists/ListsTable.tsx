import type { BulkJob } from '@probity/sdk'
import { Link } from '@tanstack/react-router'
import { DateTime } from '../../../ui/DateTime.tsx'
import { formatDate, formatNumber } from '../../../ui/format.ts'
import { CardFact, type Column, DataTable } from '../../../ui/Table.tsx'
import { ListProgress, VerdictCounts } from './ListProgress.tsx'
import { Tags } from './Tags.tsx'

const COLUMNS: Column<BulkJob>[] = [
  { head: 'Name', className: 'min-w-40 py-3', cell: nameCell },
  { head: 'Status', className: 'w-52', cell: (list) => <ListProgress list={list} /> },
  { head: 'Addresses', align: 'end', cell: (list) => formatNumber(list.unique_count) },
  { head: 'Verdicts', className: 'w-60 min-w-52', cell: (list) => <VerdictCounts list={list} /> },
  { head: 'Credits', align: 'end', cell: creditsOf },
  { head: 'Created', className: 'text-soft', cell: (list) => <DateTime at={list.created_at} /> },
  { head: 'Expires', className: 'whitespace-nowrap text-soft', cell: (list) => formatDate(list.expires_on) },
]

/** The lists of one page. */
export function ListsTable({ lists }: { lists: BulkJob[] }) {
  return (
    <DataTable
      caption="Lists"
      className="rounded-lg border border-line bg-surface px-4 shadow-card"
      columns={COLUMNS}
      rows={lists}
      keyOf={({ id }) => id}
      cardsBelow="md"
      cardLook="boxes"
      card={(list) => (
        <>
          {nameCell(list)}
          <ListProgress list={list} />
          <VerdictCounts list={list} words />
          <dl className="grid grid-cols-2 gap-x-4 gap-y-2 text-[0.8125rem] tabular-nums">
            <CardFact name="Addresses">{formatNumber(list.unique_count)}</CardFact>
            <CardFact name="Credits">{creditsOf(list)}</CardFact>
            <CardFact name="Created">
              <DateTime at={list.created_at} />
            </CardFact>
            <CardFact name="Expires">{formatDate(list.expires_on)}</CardFact>
          </dl>
        </>
      )}
    />
  )
}

function nameCell(list: BulkJob) {
  return (
    <div className="flex flex-col gap-1">
      <ListLink list={list} />
      <Tags tags={list.tags} />
    </div>
  )
}

function ListLink({ list: { id, name } }: { list: BulkJob }) {
  return (
    <Link
      to="/lists/$jobId"
      params={{ jobId: id }}
      className="font-medium [overflow-wrap:anywhere] underline-offset-4 hover:text-accent-text hover:underline"
    >
      {name}
    </Link>
  )
}

/** The credits charged for a list after refunds. Test mode is free. */
function creditsOf({ credits: { charged }, livemode }: BulkJob): string {
  return livemode ? formatNumber(charged) : 'Free'
}
