import { countLeftOut, describeCharge } from '@probity/contract/constants/texts/jobs'
import type { BulkJob, JobBreakdown } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { Download } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useScene } from '../../../session/workspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { formatCount, formatDate, formatNumber, formatShare } from '../../../ui/format.ts'
import { PageFrame } from '../../../ui/States.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import { type ListTab, openTab, withoutResult } from '../search.ts'
import { BreakdownCards } from './BreakdownCards.tsx'
import { DownloadState } from './DownloadDialog.tsx'
import { leftOutSheet, PLANS, planSheet, planWord, useDownload, usePreset } from './download.ts'
import { outcomeOf } from './job-labels.ts'
import { breakdownQuery, isExpired, isRerunning } from './queries.ts'
import { Results } from './Results.tsx'
import { useListSearch } from './SearchLink.tsx'
import { RerunOutcome, RunningRerun } from './UnknownRerun.tsx'
import { Verdicts } from './Verdicts.tsx'

/** The results of a finished list in tabs, and its downloads. */
export function FinishedList({ job }: { job: BulkJob }) {
  const { error } = useQuery(breakdownQuery(useScene(), job))
  const { search, turn } = useListSearch()
  const isGone = isExpired(error)
  const hasResults = !isGone && job.done_count > 0
  const overview = (
    <>
      <Summary job={job} isGone={isGone} />
      {hasResults && (
        <BreakdownPart job={job}>{({ keep_plans }) => <PresetPicker job={job} plans={keep_plans} />}</BreakdownPart>
      )}
    </>
  )
  const breakdown = <BreakdownPart job={job}>{(loaded) => <BreakdownCards breakdown={loaded} />}</BreakdownPart>
  return (
    <>
      <EndNotice job={job} />
      {isRerunning(job) && <RunningRerun job={job} />}
      {isGone && (
        <Callout title="The rows of this list were deleted.">
          They expired on {formatDate(job.expires_on)}. The summary is kept; results and downloads are no longer
          available.
        </Callout>
      )}
      {hasResults ? (
        <Tabs
          label="Parts of the list"
          value={openTab(search)}
          onChange={(tab) => turn((now) => ({ ...withoutResult(now), tab: tab as ListTab }))}
          tabs={[
            { value: 'overview', label: 'Overview', content: <Stack>{overview}</Stack> },
            { value: 'results', label: 'Results', content: <Results job={job} /> },
            { value: 'breakdown', label: 'Breakdown', content: <Stack>{breakdown}</Stack> },
          ]}
        />
      ) : (
        overview
      )}
    </>
  )
}

function Stack({ children }: { children: ReactNode }) {
  return <div className="flex flex-col gap-6">{children}</div>
}

/** A part that needs the breakdown, or its loading state. */
function BreakdownPart({ job, children }: { job: BulkJob; children(breakdown: JobBreakdown): ReactNode }) {
  const query = useQuery(breakdownQuery(useScene(), job))
  if (query.data) return children(query.data)
  return (
    <Card>
      <PageFrame query={query} failed="The breakdown could not be loaded" loading="Loading the breakdown" lines={5} />
    </Card>
  )
}

function Summary({ job, isGone }: { job: BulkJob; isGone: boolean }) {
  return (
    <Card>
      <p className="text-lg font-medium tracking-[-0.01em] text-balance">{outcomeOf(job)}</p>
      <RerunOutcome job={job} />
      <div className="mt-5">
        <Verdicts job={job} caption="Results by verdict" linked={!isGone} />
      </div>
      <Footnotes job={job} isGone={isGone} />
    </Card>
  )
}

function EndNotice({ job }: { job: BulkJob }) {
  const { status, done_count, unique_count, sub_status_counts, credits, livemode } = job
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
        {done_count === 0 ? 'There are no results' : formatCount(done_count, 'result is kept', 'results are kept')}
        {livemode ? ', and unused credits were released' : ''}. Upload the file again to validate{' '}
        {done_count === 0 ? 'its addresses' : 'the rest'}.
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
  if (livemode && isUnreachable(job)) {
    return (
      <Callout kind="warning" title="This is probably a network problem of this installation.">
        None of the addresses could be validated; they may still be valid.
        {credits.charged === 0 ? ' No credits were charged.' : ''} If you run Probity yourself, check that outbound port
        25 is open, then validate the list again.
      </Callout>
    )
  }
  return null
}

/**
 * Whether every result that a working network could have given is unknown. Results whose reason lasts say nothing about the network, and
 * neither does a rerun of addresses that were unknown before.
 */
function isUnreachable({ done_count, status_counts: { unknown }, rerunnable_count, rerun_rows }: BulkJob): boolean {
  return rerun_rows !== 'unknown' && rerunnable_count > 0 && unknown === done_count
}

function Footnotes({ job, isGone }: { job: BulkJob; isGone: boolean }) {
  const { credits, livemode, expires_on } = job
  return (
    <p className="mt-4 flex flex-wrap gap-x-4 gap-y-1 border-t border-line pt-3 text-[0.8125rem] text-faint">
      <span>{livemode ? `${describeCharge(credits)}.` : 'Free in test mode.'}</span>
      {!isGone && <span>Rows expire on {formatDate(expires_on)}. The summary is kept.</span>}
    </p>
  )
}

type KeepPlan = JobBreakdown['keep_plans'][number]

/** The presets for keeping and removing addresses, with the expected bounce rate of each. */
function PresetPicker({ job, plans }: { job: BulkJob; plans: KeepPlan[] }) {
  const { preset, choose } = usePreset()
  const chosen = plans.find((plan) => plan.preset === preset)
  return (
    <Card
      title="Addresses to keep"
      about="Three presets for cleaning the list. Bounce rates are estimates; the range is wide where little is known."
    >
      <fieldset className="grid gap-3 md:grid-cols-3">
        <legend className="sr-only">Preset</legend>
        {plans.map((plan) => (
          <PlanCard
            key={plan.preset}
            plan={plan}
            isChosen={plan.preset === preset}
            onChoose={() => choose(plan.preset)}
          />
        ))}
      </fieldset>
      {chosen && <PlanDownloads key={chosen.preset} job={job} plan={chosen} />}
    </Card>
  )
}

function PlanCard({ plan, isChosen, onChoose }: { plan: KeepPlan; isChosen: boolean; onChoose(): void }) {
  const { preset, keep_count, remove_count } = plan
  return (
    <label
      className={clsx(
        'flex flex-col gap-3 rounded-lg border p-4 transition-colors has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent-text',
        isChosen ? 'border-accent bg-accent-soft/50' : 'border-line hover:border-edge',
      )}
    >
      <span className="flex items-center gap-2.5">
        <input
          type="radio"
          name="preset"
          value={preset}
          checked={isChosen}
          onChange={onChoose}
          className="size-4.5 shrink-0 accent-accent outline-none"
        />
        <span className="font-semibold">{planWord(preset)}</span>
      </span>
      <span className="text-[0.8125rem] text-soft">{PLANS[preset]?.about}</span>
      <span className="mt-auto flex flex-col gap-0.5">
        <span className="text-xl font-semibold tracking-[-0.02em] tabular-nums">{formatNumber(keep_count)}</span>
        <span className="text-[0.8125rem] text-soft tabular-nums">kept, {formatNumber(remove_count)} removed</span>
        <span className="text-[0.8125rem] text-soft tabular-nums">{bounces(plan)}</span>
      </span>
    </label>
  )
}

function bounces({ keep_count, expected_bounce_rate: { low, high } }: KeepPlan): string {
  if (keep_count === 0) return 'No addresses kept'
  return `${formatShare(low)} to ${formatShare(high)} expected bounces`
}

type Part = 'keep' | 'remove' | 'left_out'

function PlanDownloads({ job, plan }: { job: BulkJob; plan: KeepPlan }) {
  const { download, start } = useDownload(job.id)
  const [part, setPart] = useState<Part>('keep')
  const begin = (wanted: Part) => {
    setPart(wanted)
    void start(wanted === 'left_out' ? leftOutSheet(job.filename) : planSheet(job.filename, plan.preset, wanted))
  }
  const isBusy = (one: Part) => download.kind === 'busy' && part === one
  const leftOut = countLeftOut(job)
  const icon = <Download className="size-4" aria-hidden="true" />
  return (
    <div className="mt-4 flex flex-col gap-3">
      <div className="flex flex-wrap gap-2">
        <Button
          look="primary"
          icon={icon}
          busy={isBusy('keep')}
          disabled={plan.keep_count === 0}
          onClick={() => begin('keep')}
        >
          Download {formatNumber(plan.keep_count)} to keep
        </Button>
        <Button icon={icon} busy={isBusy('remove')} disabled={plan.remove_count === 0} onClick={() => begin('remove')}>
          Download {formatNumber(plan.remove_count)} to remove
        </Button>
        {leftOut > 0 && (
          <Button icon={icon} busy={isBusy('left_out')} onClick={() => begin('left_out')}>
            Download {formatNumber(leftOut)} not validated
          </Button>
        )}
      </div>
      <p className="text-[0.8125rem] text-faint">
        One row per address. The file to keep has only your columns; the file to remove also has the reasons.
        {leftOut > 0 && ' The third file has row numbers and reasons.'}
      </p>
      <DownloadState download={download} />
    </div>
  )
}
