import { formatDay, formatNumber } from '../ui/format.ts'

export type DayBar = { day: string; value: number; inFront: number }

type BarsProps = {
  days: DayBar[]
  /** The chart as one sentence, for screen readers. */
  summary: string
  /** The names of the series; without `inFront` there is one. */
  names: { value: string; inFront?: string }
}

const HEIGHT = 100
/** Keeps days with small values visible. */
const HEIGHT_MIN = 1.5
const BAR_WIDTH = 0.76

/** One bar per day. Plain SVG, since the chart library of the donut is larger than the page. */
export function DayBars({ days, summary, names }: BarsProps) {
  const top = Math.max(1, ...days.map(({ value, inFront }) => Math.max(value, inFront)))
  const heightOf = (value: number) => (value === 0 ? 0 : Math.max(HEIGHT_MIN, (value / top) * HEIGHT))
  const [first, last] = [days[0], days.at(-1)]
  return (
    <div role="img" aria-label={summary} className="flex flex-col gap-2">
      <div className="flex items-center gap-4 text-xs text-soft">
        <Legend look="bg-accent" name={names.value} />
        {names.inFront && <Legend look="bg-risky-solid" name={names.inFront} />}
        <span className="ms-auto text-faint tabular-nums">max. {formatNumber(top)} per day</span>
      </div>
      <svg
        viewBox={`0 0 ${days.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        className="h-40 w-full border-b border-line"
      >
        {days.map(({ day, value, inFront }, n) => (
          <g key={day}>
            <Bar n={n} height={heightOf(value)} look="fill-accent" />
            <Bar n={n} height={heightOf(inFront)} look="fill-risky-solid" />
          </g>
        ))}
      </svg>
      <p className="flex justify-between text-xs text-faint">
        <span>{first && formatDay(first.day)}</span>
        <span>{last && formatDay(last.day)}</span>
      </p>
    </div>
  )
}

function Bar({ n, height, look }: { n: number; height: number; look: string }) {
  if (height === 0) return null
  return <rect x={n + (1 - BAR_WIDTH) / 2} y={HEIGHT - height} width={BAR_WIDTH} height={height} className={look} />
}

function Legend({ look, name }: { look: string; name: string }) {
  return (
    <span className="flex items-center gap-1.5">
      <span className={`size-2.5 rounded-[0.1875rem] ${look}`} />
      {name}
    </span>
  )
}
