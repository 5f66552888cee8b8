import type { BulkJob } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { useScene } from '../../../session/scene.ts'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { formatCount, formatDate, formatNumber } from '../../../ui/format.ts'
import { ErrorState, Skeleton } from '../../../ui/States.tsx'
import { BreakdownCard } from './BreakdownCard.tsx'
import { KeepPlanner } from './KeepPlanner.tsx'
import { breakdownQuery, isExpired } from './queries.ts'
import { Verdicts } from './Verdicts.tsx'
import { outcomeOf } from './words.ts'

/** The results of a finished list, and its downloads. */
export function FinishedList({ job }: { job: BulkJob }) {
  const breakdown = useQuery(breakdownQuery(useScene(), job))
  const isGone = isExpired(breakdown.error)
  return (
    <>
      <EndNotice job={job} />
      {isGone && (
        <Callout title="The rows of this list were deleted.">
          They expired on {formatDate(job.expires_on)}. The summary is kept; results and downloads are no longer
          available.
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
        {formatCount(done_count, 'address has', 'addresses have')} a result.{' '}
        {formatCount(left, 'address was', 'addresses were')} not validated
        {livemode ? ', and the credits were released.' : '.'}
      </Callout>
    )
  }
  if (status === 'failed') {
    return (
      <Callout kind="error" title="This list failed because of an internal error.">
        {formatCount(done_count, 'result')} {done_count === 1 ? 'is' : 'are'} kept
        {livemode ? ', and unused credits were released' : ''}. Upload the file again to validate the rest.
      </Callout>
    )
  }
  if (livemode && unasked > 0) {
    return (
      <Callout kind="warning" title="Some mailboxes could not be probed.">
        This installation could not reach mail servers. {formatCount(unasked, 'address is', 'addresses are')} unknown
        for this reason and {unasked === 1 ? 'was' : 'were'} not charged. Validate the list again when mail servers can
        be reached.
      </Callout>
    )
  }
  if (livemode && done_count > 0 && status_counts.unknown === done_count) {
    return (
      <Callout kind="warning" title="This is probably a network problem of this installation.">
        None of the addresses could be validated; they may still be valid.
        {credits.refunded >= credits.used ? ' No credits were charged.' : ''} If you run Probity yourself, check that
        outbound port 25 is open, then validate the list again.
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
          : 'Test mode: no credits charged.'}
      </span>
      {!isGone && <span>Rows expire on {formatDate(expires_on)}. The summary is kept.</span>}
    </p>
  )
}
