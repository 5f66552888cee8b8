import type { BulkJob } from '@probity/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { useEffect, useState } from 'react'
import { asRequestFailed } from '../../../session/client.ts'
import { accountQuery, useMay, useScene } from '../../../session/workspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { ConfirmDialog } from '../../../ui/Dialog.tsx'
import { formatCount, formatDate, formatNumber } from '../../../ui/format.ts'
import { ProgressBar } from '../../../ui/Progress.tsx'
import { jobQuery } from './queries.ts'
import { rerunOutcome } from './rerun-words.ts'

type Rerun = NonNullable<BulkJob['unknown_rerun']>

/** The progress of the rerun of unknown addresses, until its results are in this list. */
export function RunningRerun({ job }: { job: BulkJob }) {
  const mayChange = useMay('jobs:write')
  useBalanceAfterwards()
  const { unknown_rerun: rerun } = job
  if (rerun === null) return null
  const { unique_count: count, done_count: done, finished_at: finishedAt } = rerun
  return (
    <Card>
      <div className="flex items-start justify-between gap-4">
        <div role="status">
          <h2 className="flex items-baseline gap-2.5 text-base font-semibold">
            <RotateCw className="size-4 shrink-0 translate-y-0.5 text-accent-text" aria-hidden="true" />
            Validating {formatCount(count, 'unknown address', 'unknown addresses')} again
          </h2>
        </div>
        {finishedAt === null && mayChange && <StopButton job={job} rerun={rerun} />}
      </div>
      <ProgressBar value={done / count} label="Unknown addresses with a new result" className="mt-3" />
      <p className="mt-2.5 flex flex-wrap gap-x-3 gap-y-0.5 text-[0.8125rem] text-soft">
        <span className="font-medium text-ink tabular-nums">
          {formatNumber(done)} of {formatNumber(count)}
        </span>
        <span>{nextStep(rerun)}</span>
      </p>
    </Card>
  )
}

function nextStep({ status, finished_at: finishedAt }: Rerun): string {
  if (finishedAt !== null) return 'The new results are being added to this list.'
  if (status === 'paused') return 'Paused. No addresses are being validated.'
  return 'You can close this page. The new results are added to this list at the end.'
}

function StopButton({ job, rerun }: { job: BulkJob; rerun: Rerun }) {
  const scene = useScene()
  const queryClient = useQueryClient()
  const [isAsked, setAsked] = useState(false)
  const stop = useMutation({
    mutationFn: () => scene.probity.jobs.cancel(rerun.id),
    onSuccess: () => setAsked(false),
    // It may have finished in the meantime.
    onSettled: () => queryClient.invalidateQueries({ queryKey: jobQuery(scene, job.id).queryKey, exact: true }),
  })
  return (
    <>
      <Button size="sm" onClick={() => setAsked(true)}>
        Stop
      </Button>
      <ConfirmDialog
        open={isAsked}
        title="Stop validating again?"
        confirm="Stop"
        cancel="Continue validating"
        busy={stop.isPending}
        onCancel={() => setAsked(false)}
        onConfirm={() => stop.mutate()}
      >
        <p>
          {formatCount(rerun.done_count, 'new result is', 'new results are')} added to this list. The other addresses
          stay unknown{job.livemode ? ', and their credits are released.' : '.'}
        </p>
        {stop.isError && (
          <Callout kind="error" live>
            {asRequestFailed(stop.error).message}
          </Callout>
        )}
      </ConfirmDialog>
    </>
  )
}

/** Loads the balance again when the rerun has ended. */
function useBalanceAfterwards(): void {
  const scene = useScene()
  const queryClient = useQueryClient()
  useEffect(
    () => () => void queryClient.invalidateQueries({ queryKey: accountQuery(scene).queryKey }),
    [scene, queryClient],
  )
}

/** What the latest rerun of unknown addresses has changed. */
export function RerunOutcome({ job: { unknown_rerun: rerun } }: { job: BulkJob }) {
  if (rerun === null || rerun.merged_at === null) return null
  const { unique_count: count, done_count: done, merged_at: mergedAt } = rerun
  const ofAll = done < count ? `${formatNumber(done)} of ` : ''
  return (
    <p className="mt-1.5 flex items-baseline gap-2 text-soft">
      <RotateCw className="size-3.5 shrink-0 translate-y-0.5" aria-hidden="true" />
      <span className="text-pretty">
        {ofAll}
        {formatCount(count, 'unknown address', 'unknown addresses')} validated again on {formatDate(mergedAt)}
        {done > 0 && `: ${rerunOutcome(rerun)}`}.
      </span>
    </p>
  )
}
