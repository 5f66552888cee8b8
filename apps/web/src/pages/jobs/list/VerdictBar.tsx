import { clsx } from 'clsx'
import { VERDICTS } from '../../../labels/verdict.tsx'

const FILLS: Record<string, string> = {
  valid: 'bg-valid-solid',
  risky: 'bg-risky-solid',
  invalid: 'bg-invalid-solid',
  unknown: 'bg-unknown-solid',
}

type Verdict = (typeof VERDICTS)[number]

/** Taller than the bar, so that it is easy to click. */
const TARGET = 'flex h-6 items-center'

type VerdictBarProps = {
  counts: Record<Verdict, number>
  /** A click on a part of the bar. The numbers next to it are links, so the bar needs no keyboard access. Without it: a chart only. */
  onChoose?(status: Verdict): void
}

/** The shares of the verdicts. Hidden from screen readers: the numbers are next to it. */
export function VerdictBar({ counts, onChoose }: VerdictBarProps) {
  return (
    <div aria-hidden="true" className={TARGET}>
      <div className="flex h-full w-full gap-px">
        {VERDICTS.filter((status) => counts[status] > 0).map((status) => (
          <Segment
            key={status}
            status={status}
            grow={counts[status]}
            {...(onChoose && { onChoose: () => onChoose(status) })}
          />
        ))}
      </div>
    </div>
  )
}

function Segment({ status, grow, onChoose }: { status: Verdict; grow: number; onChoose?(): void }) {
  if (onChoose === undefined) return <div className={clsx('h-2 min-w-0.5', FILLS[status])} style={{ flexGrow: grow }} />
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: a link next to the chart does the same
    <div
      title={`Show ${status} results`}
      onClick={onChoose}
      className="group flex min-w-0.5 cursor-pointer items-center"
      style={{ flexGrow: grow }}
    >
      <div className={clsx('h-2 w-full transition-[height] group-hover:h-3', FILLS[status])} />
    </div>
  )
}

type CountBarProps = { status: string; share: number; onChoose(): void }

/** The share of one reason. */
export function CountBar({ status, share, onChoose }: CountBarProps) {
  return (
    <div aria-hidden="true" title="Show these results" onClick={onChoose} className={clsx(TARGET, 'cursor-pointer')}>
      <div className="h-2 w-full rounded-full bg-hover">
        <div
          className={clsx('h-full min-w-0.5 rounded-full', FILLS[status] ?? 'bg-unknown-solid')}
          style={{ width: `${share * 100}%` }}
        />
      </div>
    </div>
  )
}
