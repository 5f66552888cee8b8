import type { BulkJob, Overview } from '@probity/sdk'
import { Link } from '@tanstack/react-router'
import { Card } from '../../../ui/Card.tsx'
import { formatCount } from '../../../ui/format.ts'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { ListProgress } from '../../jobs/lists/ListProgress.tsx'
import { VerdictCounts } from '../../jobs/lists/VerdictCounts.tsx'
import { PartFailed } from './PartFailed.tsx'

/** Lists in progress, followed by the most recently finished ones. */
export function ListsCard({ lists, onRetry }: { lists: Overview['jobs']; onRetry(): void }) {
  const all = (
    <Link to="/lists" className="text-accent-text underline-offset-4 hover:underline">
      All lists
    </Link>
  )
  return (
    <Card title="Lists" actions={all}>
      {lists === null ? <PartFailed what="The lists" onRetry={onRetry} /> : <Rows {...lists} />}
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
          {list.filename}
        </Link>
        <p className="text-[0.8125rem] text-faint">
          {formatCount(list.unique_count, 'address', 'addresses')}, <RelativeTime at={list.created_at} />
        </p>
      </div>
      <ListProgress list={list} />
      <VerdictCounts list={list} />
    </li>
  )
}
