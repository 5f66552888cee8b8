import type { BulkJob } from '@probity/sdk'
import { Clock } from 'lucide-react'
import type { ReactNode } from 'react'
import { ProbingNow } from '../../../shell/ProbingNotice.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { formatNumber, formatShare } from '../../../ui/format.ts'
import { ProgressBar } from '../../../ui/Progress.tsx'
import { Steps } from '../../../ui/Steps.tsx'
import { FollowingBadge } from './FollowingBadge.tsx'
import type { Following } from './follow.ts'
import { ProgressNews } from './ProgressNews.tsx'
import { StuckNotice } from './StuckNotice.tsx'
import { useNow } from './use-now.ts'
import { Verdicts } from './Verdicts.tsx'
import { STAGES, stageOf, timeLeft, whyWaiting } from './words.ts'

/** A list in progress: progress, remaining time and deferred addresses. */
export function RunningList({ job, following }: { job: BulkJob; following: Following }) {
  return (
    <>
      {job.delay_reason === null ? <StuckNotice job={job} /> : <DelayNotice job={job} />}
      <ProbingNow />
      <Card>
        <div className="flex flex-col gap-5">
          <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
            <Steps label="List stages" steps={STAGES} current={stageOf(job)} />
            <FollowingBadge following={following} />
          </div>
          <Progress job={job} />
          <Facts job={job} />
          <Waiting job={job} />
          <p className="text-[0.8125rem] text-faint">{closingNote(job)}</p>
        </div>
      </Card>
      {job.done_count > 0 && (
        <Card title="Results so far">
          <Verdicts job={job} caption="Results so far by verdict" />
        </Card>
      )}
    </>
  )
}

function closingNote({ status, delay_reason: delayReason }: BulkJob): string {
  if (delayReason === 'under_review') return 'You can close this page. The list continues when it is released.'
  if (status === 'paused') return 'Paused. No addresses are being validated; results so far are kept.'
  if (delayReason !== null) return 'You can close this page. The list continues as soon as a worker runs.'
  return 'You can close this page. Validation continues in the background.'
}

/** Shows why the list makes no progress: it is under review, or no worker is running. */
function DelayNotice({ job: { status, delay_reason: delayReason } }: { job: BulkJob }) {
  if (delayReason === 'under_review') {
    return (
      <Callout kind="warning" live title="Under review">
        The service paused this list, because it exceeds the daily limit for one domain or most of its first results are
        invalid. An operator of the service releases or cancels it. You can also cancel it; unused credits are then
        released.
      </Callout>
    )
  }
  return (
    <Callout kind="warning" live title="Waiting for a worker">
      No worker is running, so{' '}
      {status === 'queued' ? 'validation of this list has not started' : 'this list is not making progress'}. Results so
      far and reserved credits are kept.
    </Callout>
  )
}

function Progress({ job }: { job: BulkJob }) {
  const { progress, done_count, unique_count } = job
  return (
    <div>
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-x-4">
        <p className="text-2xl font-semibold tracking-[-0.02em] tabular-nums">{formatShare(progress)}</p>
        <p className="text-soft tabular-nums">
          {formatNumber(done_count)} of {formatNumber(unique_count)} addresses
        </p>
      </div>
      <ProgressBar value={progress} label="Addresses with a result" />
      <ProgressNews job={job} />
    </div>
  )
}

function Facts({ job }: { job: BulkJob }) {
  const now = useNow()
  const { credits, rate_per_s, livemode } = job
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-4 border-t border-line pt-4 sm:grid-cols-3 lg:grid-cols-5">
      <Fact name="Time remaining" wide>
        {timeLeft(job.eta, now) ?? (job.status === 'paused' ? 'Paused' : 'Not yet known')}
      </Fact>
      <Fact name="Rate">{rate_per_s > 0 ? `${formatNumber(rate_per_s)} addresses/s` : 'None in the last minute'}</Fact>
      {livemode ? (
        <>
          <Fact name="Credits used">{formatNumber(credits.used)}</Fact>
          <Fact name="Credits reserved">{formatNumber(credits.reserved)}</Fact>
          <Fact name="Credits refunded">{formatNumber(credits.refunded)}</Fact>
        </>
      ) : (
        <Fact name="Credits">None in test mode</Fact>
      )}
    </dl>
  )
}

function Fact({ name, wide = false, children }: { name: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className={wide ? 'max-sm:col-span-2' : undefined}>
      <dt className="text-xs text-faint">{name}</dt>
      <dd className="mt-0.5 font-medium tabular-nums">{children}</dd>
    </div>
  )
}

function Waiting({ job: { deferred } }: { job: BulkJob }) {
  const now = useNow()
  if (deferred.length === 0) return null
  return (
    <section aria-label="Deferred addresses" className="rounded-md bg-sunken px-4 py-3">
      <ul className="flex flex-col gap-1.5">
        {deferred.map((group) => (
          <li key={group.reason} className="flex items-start gap-2.5">
            <Clock className="mt-0.5 size-4 shrink-0 text-faint" aria-hidden="true" />
            {whyWaiting(group, now)}
          </li>
        ))}
      </ul>
    </section>
  )
}
