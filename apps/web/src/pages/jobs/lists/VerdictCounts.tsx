import type { BulkJob } from '@probity/sdk'
import { clsx } from 'clsx'
import { VERDICTS, verdictLook } from '../../../labels/verdict.tsx'
import { formatNumber } from '../../../ui/format.ts'

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
  if (found.length === 0) return <span className="text-faint">None yet</span>
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
