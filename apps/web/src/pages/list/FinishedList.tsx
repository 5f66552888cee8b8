import type { BulkJob } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { useScene } from '../../session/scene.ts'
import { Callout } from '../../ui/Callout.tsx'
import { Card } from '../../ui/Card.tsx'
import { formatCount, formatDate, formatNumber } from '../../ui/format.ts'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import { BreakdownCard } from './BreakdownCard.tsx'
import { KeepPlanner } from './KeepPlanner.tsx'
import { breakdownQuery, isExpired } from './queries.ts'
import { Verdicts } from './Verdicts.tsx'
import { outcomeOf } from './words.ts'

/** What came out of a list, and what to make of it. */
export function FinishedList({ job }: { job: BulkJob }) {
  const breakdown = useQuery(breakdownQuery(useScene(), job))
  const isGone = isExpired(breakdown.error)
  return (
    <>
      <EndNotice job={job} />
      {isGone && (
        <Callout title="The rows of this list have been deleted.">
          Its retention ended on {formatDate(job.expires_on)}. The summary stays; results and downloads are gone.
        </Callout>
      )}
      <Card>
        <p className="mb-5 text-lg font-medium tracking-[-0.01em] text-balance">{outcomeOf(job)}</p>
        <Verdicts job={job} caption="Results by verdict" linked={!isGone} />
        <Footnotes job={job} isGone={isGone} />
      </Card>
      {breakdown.isPending && (
        <Card>
          <Skeleton lines={5} label="Loading the breakdown" />
        </Card>
      )}
      {breakdown.isError && !isGone && (
        <Card>
          <ErrorState
            error={breakdown.error}
            onRetry={() => void breakdown.refetch()}
            what="The breakdown could not be loaded"
          />
        </Card>
      )}
      {breakdown.data && !isGone && job.done_count > 0 && (
        <>
          <KeepPlanner job={job} plans={breakdown.data.keep_plans} />
          <BreakdownCard breakdown={breakdown.data} />
        </>
      )}
    </>
  )
}

function EndNotice({ job }: { job: BulkJob }) {
  const { status, done_count, unique_count, status_counts, sub_status_counts, credits, livemode } = job
  const unasked = sub_status_counts['not_probed'] ?? 0
  const left = unique_count - done_count
  if (status === 'canceled') {
    return (
      <Callout title="This list was canceled.">
        {formatCount(done_count, 'address has', 'addresses have')} a result, {formatNumber(left)} were not asked
        {livemode ? ', and the credits for those came back.' : '.'}
      </Callout>
    )
  }
  if (status === 'failed') {
    return (
      <Callout kind="error" title="This list failed because of a fault on our side.">
        {formatCount(done_count, 'result')} {done_count === 1 ? 'is' : 'are'} kept
        {livemode ? ', and unused credits came back' : ''}. Upload the file again to validate the rest.
      </Callout>
    )
  }
  if (livemode && unasked > 0) {
    return (
      <Callout kind="warning" title="Not every mailbox could be asked about.">
        This installation could not reach mail servers. {formatCount(unasked, 'address', 'addresses')} stayed unknown
        for it, which says nothing against {unasked === 1 ? 'it' : 'them'}, and {unasked === 1 ? 'was' : 'were'} not
        charged. Validate the list again when mail servers can be reached.
      </Callout>
    )
  }
  if (livemode && done_count > 0 && status_counts.unknown === done_count) {
    return (
      <Callout kind="warning" title="This is almost certainly our network, not your list.">
        Not one of the addresses could be checked, which says nothing against them.
        {credits.refunded >= credits.used ? ' Nothing was charged.' : ''} If you run the service yourself, see whether
        port 25 is open to the internet, then validate the list again.
      </Callout>
    )
  }
  return null
}

function Footnotes({ job, isGone }: { job: BulkJob; isGone: boolean }) {
  const { credits, livemode, expires_on } = job
  const charged = Math.max(0, credits.used - credits.refunded)
  return (
    <p className="mt-4 flex flex-wrap gap-x-4 gap-y-1 border-t border-line pt-3 text-[0.8125rem] text-faint">
      <span>
        {livemode
          ? `${formatCount(charged, 'credit')} charged, ${formatNumber(credits.refunded)} refunded.`
          : 'Test mode: nothing was charged.'}
      </span>
      {!isGone && <span>Rows are deleted on {formatDate(expires_on)}. The summary stays.</span>}
    </p>
  )
}
