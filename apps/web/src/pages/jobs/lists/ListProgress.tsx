import type { BulkJob } from '@probity/sdk'
import { formatShare } from '../../../ui/format.ts'
import { ProgressBar } from '../../../ui/Progress.tsx'
import { JobStateBadge } from './JobStateBadge.tsx'
import { isUnderWay } from './lists-query.ts'

/** The state and the progress of a list. Only unfinished lists have a bar. */
export function ListProgress({ list }: { list: BulkJob }) {
  const { status, progress, filename, delay_reason: delayReason } = list
  const mayMove = isUnderWay(list) || status === 'paused'
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <JobStateBadge status={status} />
        {delayReason !== null && (
          <span className="text-[0.8125rem] text-risky">
            {delayReason === 'under_review' ? 'Under review' : 'Waiting for a worker'}
          </span>
        )}
        {status !== 'completed' && <span className="text-[0.8125rem] text-soft tabular-nums">{share(progress)}</span>}
      </div>
      {mayMove && <ProgressBar value={progress} label={`Progress of ${filename}`} className="h-1.5" />}
    </div>
  )
}

/** Rounded down: 100 % is shown only when the list is complete. */
function share(progress: number): string {
  return formatShare(Math.floor(progress * 100) / 100)
}
