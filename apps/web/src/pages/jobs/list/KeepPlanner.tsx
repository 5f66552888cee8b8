import type { BulkJob, JobBreakdown } from '@probity/sdk'
import { clsx } from 'clsx'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { formatCount, formatNumber, formatShare } from '../../../ui/format.ts'
import { DownloadState } from './DownloadState.tsx'
import { useDownload } from './use-download.ts'
import { PLANS, planWord, usePreset } from './use-preset.ts'

type KeepPlan = JobBreakdown['keep_plans'][number]

/** The presets for keeping and removing addresses, with the expected bounce rate of each. */
export function KeepPlanner({ job, plans }: { job: BulkJob; plans: KeepPlan[] }) {
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

function PlanDownloads({ job, plan }: { job: BulkJob; plan: KeepPlan }) {
  const { download, start } = useDownload(job.id)
  const [part, setPart] = useState<'keep' | 'remove'>('keep')
  const begin = (wanted: 'keep' | 'remove') => {
    setPart(wanted)
    void start({ format: 'csv', preset: plan.preset, part: wanted })
  }
  const isBusy = (one: 'keep' | 'remove') => download.kind === 'busy' && part === one
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
          Keep list ({formatNumber(plan.keep_count)})
        </Button>
        <Button icon={icon} busy={isBusy('remove')} disabled={plan.remove_count === 0} onClick={() => begin('remove')}>
          Remove list ({formatNumber(plan.remove_count)})
        </Button>
      </div>
      {job.duplicate_count > 0 && (
        <p className="text-[0.8125rem] text-faint">
          Counts are unique addresses. Files include the {formatCount(job.duplicate_count, 'duplicate row')}.
        </p>
      )}
      <DownloadState download={download} />
    </div>
  )
}
