import { type PointerEvent, useState } from 'react'
import { formatDay, formatNumber } from '../ui/format.ts'
import { ticksTo } from './scale.ts'

/** One value per day. The color is a CSS color, usually a variable of the theme. */
export type Series = { name: string; color: string; values: readonly number[] }

type DayChartProps = {
  /** Dates as YYYY-MM-DD. */
  days: readonly string[]
  /** Stacked from the bottom in this order, or each from zero and in front of the ones before. */
  series: readonly Series[]
  layout?: 'stacked' | 'overlaid'
  /** The same days of the period before, drawn as a dashed line. */
  previous?: { name: string; values: readonly number[] } | undefined
  /** The chart as one sentence, for screen readers. */
  summary: string
}

const HEIGHT = 100
/** Keeps small values visible. */
const HEIGHT_MIN = 1.5
const BAR_WIDTH = 0.76
const FORMAT_SHORT = new Intl.NumberFormat('en-GB', { notation: 'compact' })

/** Bars by day with axes and grid lines. The values of a day are shown under the pointer; a table beside the chart has them all. */
export function DayChart({ days, series, layout = 'stacked', previous, summary }: DayChartProps) {
  const [active, setActive] = useState<number | null>(null)
  const bars = days.map((_, n) => barOf(series, n, layout))
  const ticks = ticksTo(Math.max(...bars.flat().map(({ from, value }) => from + value), ...(previous?.values ?? []), 0))
  const follow = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    setActive(Math.min(days.length - 1, Math.max(0, Math.floor(((clientX - left) / width) * days.length))))
  }
  return (
    <div role="img" aria-label={summary} className="flex flex-col gap-3">
      <Legend series={series} previous={previous?.name} />
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2" aria-hidden="true">
        <Ticks ticks={ticks} />
        <div className="relative h-40" onPointerMove={follow} onPointerLeave={() => setActive(null)}>
          <Bars days={days} bars={bars} previous={previous?.values} ticks={ticks} active={active} />
          {active !== null && (
            <Values day={days[active] ?? ''} at={active} count={days.length} series={series} previous={previous} />
          )}
        </div>
        <Days days={days} />
      </div>
    </div>
  )
}

const valueAt = (values: readonly number[], n: number) => values[n] ?? 0

/** The part of a bar that shows one series. */
type Part = { name: string; color: string; from: number; value: number }

function barOf(series: readonly Series[], n: number, layout: DayChartProps['layout']): Part[] {
  let below = 0
  return series.map(({ name, color, values }) => {
    const value = valueAt(values, n)
    const part = { name, color, from: layout === 'stacked' ? below : 0, value }
    below += value
    return part
  })
}

type BarsProps = {
  days: readonly string[]
  bars: readonly Part[][]
  previous: readonly number[] | undefined
  ticks: readonly number[]
  active: number | null
}

function Bars({ days, bars, previous, ticks, active }: BarsProps) {
  const top = ticks.at(-1) ?? 1
  const line = previous?.map((value, n) => `${n + 0.5},${HEIGHT - (value / top) * HEIGHT}`).join(' ')
  return (
    <svg
      viewBox={`0 0 ${Math.max(1, days.length)} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="size-full"
      aria-hidden="true"
    >
      {ticks.map((tick) => {
        const y = HEIGHT - (tick / top) * HEIGHT
        return <line key={tick} x1={0} x2={days.length} y1={y} y2={y} className={tick === 0 ? AXIS : GRID} />
      })}
      {active !== null && <rect x={active} y={0} width={1} height={HEIGHT} className="fill-hover" />}
      {days.map((day, n) => (
        <Bar key={day} n={n} top={top} parts={bars[n] ?? []} />
      ))}
      {line && <polyline points={line} className="fill-none stroke-soft" strokeDasharray="4 3" {...THIN} />}
    </svg>
  )
}

const AXIS = 'stroke-edge [vector-effect:non-scaling-stroke]'
const GRID = 'stroke-line [vector-effect:non-scaling-stroke]'
const THIN = { strokeWidth: 1.5, vectorEffect: 'non-scaling-stroke' } as const

function Bar({ n, top, parts }: { n: number; top: number; parts: readonly Part[] }) {
  const shown = parts.filter(({ value }) => value > 0)
  return (
    <g>
      {shown.map(({ name, color, from, value }) => {
        const height = Math.max(HEIGHT_MIN, (value / top) * HEIGHT)
        const y = HEIGHT - (from / top) * HEIGHT - height
        return <rect key={name} x={n + (1 - BAR_WIDTH) / 2} y={y} width={BAR_WIDTH} height={height} fill={color} />
      })}
    </g>
  )
}

function Ticks({ ticks }: { ticks: readonly number[] }) {
  return (
    <ul className="flex flex-col-reverse justify-between text-end text-xs text-faint tabular-nums">
      {ticks.map((tick) => (
        <li key={tick} className="h-0 leading-0">
          {FORMAT_SHORT.format(tick)}
        </li>
      ))}
    </ul>
  )
}

/** The first day, the last, and on wide screens the one in the middle. */
function Days({ days }: { days: readonly string[] }) {
  const shown = days.length > 2 ? [days[0], days[Math.floor(days.length / 2)], days.at(-1)] : [days[0], days.at(-1)]
  return (
    <p className="col-start-2 flex justify-between pt-1.5 text-xs text-faint">
      {shown.map((day, n) => (
        <span key={n} className={n === 1 && shown.length > 2 ? 'max-sm:hidden' : ''}>
          {day && formatDay(day)}
        </span>
      ))}
    </p>
  )
}

function Legend({ series, previous }: { series: readonly Series[]; previous: string | undefined }) {
  return (
    <ul className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-soft">
      {series.map(({ name, color }) => (
        <li key={name} className="flex items-center gap-1.5">
          <Swatch color={color} />
          {name}
        </li>
      ))}
      {previous && (
        <li className="flex items-center gap-1.5">
          <span className="w-4 border-t-2 border-dashed border-soft" />
          {previous}
        </li>
      )}
    </ul>
  )
}

function Swatch({ color }: { color: string }) {
  return <span className="size-2.5 shrink-0 rounded-[0.1875rem]" style={{ backgroundColor: color }} />
}

type ValuesProps = Pick<DayChartProps, 'series' | 'previous'> & { day: string; at: number; count: number }

/** The values of one day, on the side of the pointer that has more room. */
function Values({ day, at, count, series, previous }: ValuesProps) {
  const isLeft = at < count / 2
  const place = isLeft ? { left: `${((at + 1) / count) * 100}%` } : { right: `${((count - at) / count) * 100}%` }
  return (
    <dl
      data-tooltip
      className="pointer-events-none absolute top-0 z-10 mx-2 grid grid-cols-[auto_auto] gap-x-4 gap-y-0.5 rounded-md bg-raised px-3 py-2 text-xs whitespace-nowrap shadow-raised"
      style={place}
    >
      <dt className="col-span-2 font-medium">{formatDay(day)}</dt>
      {series.map(({ name, color, values }) => (
        <Value key={name} name={name} color={color} value={valueAt(values, at)} />
      ))}
      {previous && <Value name={previous.name} value={valueAt(previous.values, at)} />}
    </dl>
  )
}

function Value({ name, color, value }: { name: string; color?: string; value: number }) {
  return (
    <div className="col-span-2 grid grid-cols-subgrid">
      <dt className="flex items-center gap-1.5 text-soft">
        {color && <Swatch color={color} />}
        {name}
      </dt>
      <dd className="text-end tabular-nums">{formatNumber(value)}</dd>
    </div>
  )
}
