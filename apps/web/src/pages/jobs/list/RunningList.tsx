import type { BulkJob } from '@probity/sdk'
import { Clock, RefreshCw } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { ProbingNow } from '../../../shell/ProbingNotice.tsx'
import { Badge } from '../../../ui/Badge.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { formatClock, formatCount, formatNumber, formatShare } from '../../../ui/format.ts'
import { ProgressBar, Steps } from '../../../ui/Progress.tsx'
import { TimeLeft } from '../lists/ListProgress.tsx'
import type { Following } from './follow.ts'
import { STAGES, stageOf, whyWaiting } from './job-labels.ts'
import { NotifyChoice } from './NotifyChoice.tsx'
import { Verdicts } from './Verdicts.tsx'

/** A list in progress: progress, time left and deferred addresses. */
export function RunningList({ job, following }: { job: BulkJob; following: Following }) {
  const stage = useFurthestStage(job)
  return (
    <>
      {job.delay_reason === null ? <StalledNotice job={job} /> : <DelayNotice job={job} />}
      <ProbingNow />
      <Card>
        <div className="flex flex-col gap-5">
          <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
            <Steps label="List stages" steps={STAGES} current={stage} />
            <UpdateBadge following={following} />
          </div>
          <Progress job={job} />
          <Facts job={job} />
          <Waiting job={job} />
          <div className="flex flex-col gap-2">
            <p className="text-[0.8125rem] text-faint">{closingNote(job)}</p>
            <NotifyChoice />
          </div>
        </div>
      </Card>
      {job.done_count > 0 && (
        <Card title="Verdicts so far">
          <Verdicts job={job} caption="Verdicts so far" />
        </Card>
      )}
    </>
  )
}

/** The furthest stage so far: a list that is paused while it is planned was not queued again. */
function useFurthestStage(job: BulkJob): number {
  const furthest = useRef({ id: job.id, stage: 0 })
  const { id, stage } = furthest.current
  const now = stageOf(job)
  furthest.current = { id: job.id, stage: id === job.id ? Math.max(stage, now) : now }
  return furthest.current.stage
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
  const now = useNow()
  return (
    <div>
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-x-4">
        <p className="text-2xl font-semibold tracking-[-0.02em] tabular-nums">{formatShare(progress)}</p>
        <p className="text-soft tabular-nums">
          {formatNumber(done_count)} of {formatNumber(unique_count)} addresses
        </p>
      </div>
      <ProgressBar value={progress} label="Addresses with a result" />
      {/* A notice above says why there is no progress, and the status that the list is paused. */}
      {job.delay_reason === null && job.status !== 'paused' && <TimeLeft job={job} now={now} className="mt-2.5" />}
      <ProgressAnnouncer job={job} />
    </div>
  )
}

function Facts({ job: { credits, rate_per_s, livemode } }: { job: BulkJob }) {
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-4 border-t border-line pt-4 sm:grid-cols-3">
      <Fact name="Rate">{rate_per_s > 0 ? `${formatNumber(rate_per_s)} addresses/s` : 'None in the last minute'}</Fact>
      {livemode ? (
        <>
          <Fact name="Credits charged">
            {formatNumber(credits.charged)}
            {credits.refunded > 0 && (
              <p className="mt-0.5 text-[0.8125rem] font-normal text-soft">
                {formatNumber(credits.refunded)} refunded for unknown results
              </p>
            )}
          </Fact>
          <Fact name="Credits reserved">{formatNumber(credits.reserved)}</Fact>
        </>
      ) : (
        <Fact name="Credits">Free in test mode</Fact>
      )}
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
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

/** Whether the page is updated by events or by polling. It does not say "live", which is a mode. */
function UpdateBadge({ following }: { following: Following }) {
  if (following.kind === 'opening') return null
  if (following.kind === 'live') {
    return <Badge icon={<PulsingDot />}>Updating</Badge>
  }
  return <Badge icon={<RefreshCw aria-hidden="true" />}>Updating every {following.everyS} s</Badge>
}

function PulsingDot() {
  return <span aria-hidden="true" className="mx-0.5 size-2 animate-pulse rounded-full bg-valid-solid" />
}

const EVERY_MS = 30_000
const EVERY_SHARE = 0.1

/** Announces the progress to screen readers: at every 10 %, or every 30 seconds. */
function ProgressAnnouncer({ job: { progress, done_count, unique_count, status } }: { job: BulkJob }) {
  const told = useRef({ share: 0, at: 0, status: '' })
  const [text, setText] = useState('')
  useEffect(() => {
    const last = told.current
    const isNews = progress - last.share >= EVERY_SHARE || (progress > last.share && Date.now() - last.at >= EVERY_MS)
    if (!isNews && status === last.status) return
    told.current = { share: progress, at: Date.now(), status }
    setText(
      status === 'paused'
        ? 'List paused.'
        : `${Math.floor(progress * 100)} percent: ${formatNumber(done_count)} of ${formatNumber(unique_count)} addresses.`,
    )
  }, [progress, done_count, unique_count, status])
  return (
    <p role="status" className="sr-only">
      {text}
    </p>
  )
}

const STUCK_MS = 10 * 60_000

/** Shown when a list has made no progress for ten minutes, with the reason if it is known. */
function StalledNotice({ job }: { job: BulkJob }) {
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

/** The current time, updated periodically, for texts that depend on it. */
function useNow(everyMs = 10_000): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
