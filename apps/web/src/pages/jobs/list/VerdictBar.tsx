import { clsx } from 'clsx'
import { VERDICTS } from '../../../labels/verdict.tsx'

const FILLS: Record<string, string> = {
  valid: 'bg-valid-solid',
  risky: 'bg-risky-solid',
  invalid: 'bg-invalid-solid',
  unknown: 'bg-unknown-solid',
}

/** The shares of the verdicts. Decorative: the numbers are next to it. */
export function VerdictBar({ counts }: { counts: Record<(typeof VERDICTS)[number], number> }) {
  return (
    <div aria-hidden="true" className="flex h-2 gap-px overflow-hidden rounded-full bg-hover">
      {VERDICTS.filter((status) => counts[status] > 0).map((status) => (
        <div key={status} className={clsx('min-w-0.5', FILLS[status])} style={{ flexGrow: counts[status] }} />
      ))}
    </div>
  )
}

export function CountBar({ status, share }: { status: string; share: number }) {
  return (
    <div aria-hidden="true" className="h-2 rounded-full bg-hover">
      <div
        className={clsx('h-full min-w-0.5 rounded-full', FILLS[status] ?? 'bg-unknown-solid')}
        style={{ width: `${share * 100}%` }}
      />
    </div>
  )
}
