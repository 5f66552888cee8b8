import type { BulkJob } from '@probity/sdk'
import { useEffect, useState } from 'react'
import { Callout } from '../../../ui/Callout.tsx'
import { formatClock, formatCount, formatNumber } from '../../../ui/format.ts'
import { useNow } from './use-now.ts'

const STUCK_MS = 10 * 60_000

/** Shown when a list has made no progress for ten minutes, with the reason if it is known. */
export function StuckNotice({ job }: { job: BulkJob }) {
  const now = useNow(30_000)
  const since = useLastMove(job)
  if (job.status === 'paused' || now - since < STUCK_MS) return null
  const minutes = Math.floor((now - since) / 60_000)
  return (
    <Callout kind="warning" live title={`No progress for ${formatNumber(minutes)} minutes.`}>
      {whyStuck(job)}
    </Callout>
  )
}

/** The time of the last progress that this page has seen. A queued list counts from its creation. */
function useLastMove({ status, done_count, created_at }: BulkJob): number {
  const place = `${status}/${done_count}`
  const [seen, setSeen] = useState({ place, at: status === 'queued' ? Date.parse(created_at) : Date.now() })
  useEffect(() => {
    setSeen((last) => (last.place === place ? last : { place, at: Date.now() }))
  }, [place])
  return seen.at
}

function whyStuck({ status, deferred, done_count, unique_count }: BulkJob): string {
  if (status === 'queued') return 'The list is queued. Other lists are ahead of it, or no worker is running.'
  const count = deferred.reduce((sum, group) => sum + group.count, 0)
  const next = deferred.map(({ retry_at }) => retry_at).toSorted()[0]
  if (next !== undefined && done_count + count >= unique_count) {
    return `The remaining ${formatCount(count, 'address was', 'addresses were')} deferred. Next retry at ${formatClock(next)}.`
  }
  return 'No worker has reported a result. If you run Probity yourself, check that its workers are running.'
}
