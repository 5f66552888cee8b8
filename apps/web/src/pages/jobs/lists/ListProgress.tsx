import { jobStatusLabel } from '@probity/contract/constants/labels'
import type { BulkJob } from '@probity/sdk'
import { clsx } from 'clsx'
import { Ban, CircleAlert, CircleCheck, Clock, type LucideIcon, Pause, RefreshCw, ScanText } from 'lucide-react'
import { VERDICTS, verdictLook } from '../../../labels/verdict.tsx'
import { Badge, type Tone } from '../../../ui/Badge.tsx'
import { formatNumber, formatShare } from '../../../ui/format.ts'
import { ProgressBar } from '../../../ui/Progress.tsx'
import { timeLeft } from '../list/job-labels.ts'
import { isUnderWay } from './lists-query.ts'

/** The state and the progress of a list. Only unfinished lists have a bar. */
export function ListProgress({ list }: { list: BulkJob }) {
  const { status, progress, name, delay_reason: delayReason } = list
  const mayMove = isUnderWay(list) || status === 'paused'
  // The badge says that a list is queued or paused.
  const isSaid = delayReason !== null || status === 'processing'
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <JobStateBadge status={status} />
        {status !== 'completed' && <span className="text-[0.8125rem] text-soft tabular-nums">{share(progress)}</span>}
      </div>
      {mayMove && <ProgressBar value={progress} label={`Progress of ${name}`} className="h-1.5" />}
      {isSaid && (
        <TimeLeft
          job={list}
          now={Date.now()}
          className={clsx('text-xs', delayReason === null ? 'text-soft' : 'text-risky')}
        />
      )}
    </div>
  )
}

/** The time left of a list in progress, or the reason why it is not known: one line, the same on all pages. */
export function TimeLeft({ job, now, className }: { job: BulkJob; now: number; className?: string }) {
  const line = timeLeft(job, now)
  if (line === undefined) return null
  return <p className={clsx('text-pretty tabular-nums', className)}>{line}</p>
}

/** Rounded down: 100 % is shown only when the list is complete. */
function share(progress: number): string {
  return formatShare(Math.floor(progress * 100) / 100)
}

type Look = { tone: Tone; Icon: LucideIcon }

const LOOKS: Record<string, Look> = {
  queued: { tone: 'accent', Icon: Clock },
  planning: { tone: 'accent', Icon: ScanText },
  processing: { tone: 'accent', Icon: RefreshCw },
  paused: { tone: 'risky', Icon: Pause },
  completed: { tone: 'valid', Icon: CircleCheck },
  canceled: { tone: 'unknown', Icon: Ban },
  failed: { tone: 'invalid', Icon: CircleAlert },
}

/** The state of a list: icon, label and color. */
export function JobStateBadge({ status }: { status: string }) {
  const { tone, Icon } = LOOKS[status] ?? { tone: 'accent', Icon: RefreshCw }
  return (
    <Badge tone={tone} icon={<Icon aria-hidden="true" />}>
      {jobStatusLabel(status)}
    </Badge>
  )
}

type Verdict = (typeof VERDICTS)[number]

const FILLS: Record<Verdict, string> = {
  valid: 'bg-valid-solid',
  risky: 'bg-risky-solid',
  invalid: 'bg-invalid-solid',
  unknown: 'bg-unknown-solid',
}
const LETTERS: Record<Verdict, string> = {
  valid: 'text-valid',
  risky: 'text-risky',
  invalid: 'text-invalid',
  unknown: 'text-unknown',
}

type CountsProps = { list: Pick<BulkJob, 'status_counts' | 'unique_count'>; words?: boolean }

/** The finished addresses by verdict, as a bar and as numbers. The empty part of the bar is not validated yet. */
export function VerdictCounts({ list, words = false }: CountsProps) {
  const { status_counts: counts, unique_count: whole } = list
  const found = VERDICTS.filter((verdict) => counts[verdict] > 0)
  if (found.length === 0) return <span className="text-faint">No results</span>
  return (
    <div className="flex flex-col gap-1">
      <div className="flex h-1.5 overflow-hidden rounded-full bg-hover" aria-hidden="true">
        {found.map((verdict) => (
          <div key={verdict} className={FILLS[verdict]} style={{ width: `${(counts[verdict] / whole) * 100}%` }} />
        ))}
      </div>
      <ul className="flex flex-wrap gap-x-2.5 gap-y-0.5 text-xs tabular-nums">
        {found.map((verdict) => {
          const { Icon, word } = verdictLook(verdict)
          return (
            <li key={verdict} title={word} className={clsx('inline-flex items-center gap-1', LETTERS[verdict])}>
              <Icon className="size-3" aria-hidden="true" />
              {formatNumber(counts[verdict])}
              <span className={words ? 'text-soft' : 'sr-only'}>{word.toLowerCase()}</span>
            </li>
          )
        })}
      </ul>
    </div>
  )
}
