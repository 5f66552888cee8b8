import { VERDICTS, verdictLook } from '../labels/verdict.tsx'
import { formatDay, formatNumber } from '../ui/format.ts'

type Verdict = (typeof VERDICTS)[number]
export type VerdictDay = { day: string } & Record<Verdict, number>

const HEIGHT = 100
/** Keeps days with small values visible. */
const HEIGHT_MIN = 1.5
const BAR_WIDTH = 0.76

const FILLS: Record<Verdict, string> = {
  valid: 'fill-valid-solid',
  risky: 'fill-risky-solid',
  invalid: 'fill-invalid-solid',
  unknown: 'fill-unknown-solid',
}
const DOTS: Record<Verdict, string> = {
  valid: 'bg-valid-solid',
  risky: 'bg-risky-solid',
  invalid: 'bg-invalid-solid',
  unknown: 'bg-unknown-solid',
}

/** One bar per day, with a part for each verdict. */
export function VerdictBars({ days, summary }: { days: VerdictDay[]; summary: string }) {
  const top = Math.max(1, ...days.map(totalOf))
  const [first, last] = [days[0], days.at(-1)]
  return (
    <div role="img" aria-label={summary} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-soft">
        {VERDICTS.map((verdict) => (
          <span key={verdict} className="flex items-center gap-1.5">
            <span className={`size-2.5 rounded-[0.1875rem] ${DOTS[verdict]}`} />
            {verdictLook(verdict).word}
          </span>
        ))}
        <span className="ms-auto text-faint tabular-nums">max. {formatNumber(top)} per day</span>
      </div>
      <svg
        viewBox={`0 0 ${Math.max(1, days.length)} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        className="h-40 w-full border-b border-line"
      >
        {days.map((day, n) => (
          <Bar key={day.day} day={day} n={n} top={top} />
        ))}
      </svg>
      <p className="flex justify-between text-xs text-faint">
        <span>{first && formatDay(first.day)}</span>
        <span>{last && formatDay(last.day)}</span>
      </p>
    </div>
  )
}

export function totalOf(day: Record<Verdict, number>): number {
  return VERDICTS.reduce((sum, verdict) => sum + day[verdict], 0)
}

/** Stacked from the bottom in the order of the legend. */
function Bar({ day, n, top }: { day: VerdictDay; n: number; top: number }) {
  const total = totalOf(day)
  if (total === 0) return null
  const whole = Math.max(HEIGHT_MIN, (total / top) * HEIGHT)
  let below = 0
  return (
    <g>
      {VERDICTS.filter((verdict) => day[verdict] > 0).map((verdict) => {
        const height = (day[verdict] / total) * whole
        below += height
        return (
          <rect
            key={verdict}
            x={n + (1 - BAR_WIDTH) / 2}
            y={HEIGHT - below}
            width={BAR_WIDTH}
            height={height}
            className={FILLS[verdict]}
          />
        )
      })}
    </g>
  )
}
