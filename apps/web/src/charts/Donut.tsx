import { type ReactNode, useState } from 'react'
import { formatNumber } from '../ui/format.ts'

export type Slice = {
  name: string
  count: number
  color: string
  /** A click on the slice. A link or button next to the chart does the same by keyboard. */
  onChoose?: () => void
}

/** Keeps thin slices visible. The circumference is 100. */
const LENGTH_MIN = 0.9
const GAP = 0.5
const RADIUS = 100 / (2 * Math.PI)
const WIDTH = 5.6
const SIZE = 2 * RADIUS + WIDTH

/** A donut chart. The middle shows the total, or the slice under the pointer. */
export function Donut({ slices, noun, summary }: { slices: readonly Slice[]; noun: string; summary: string }) {
  const [active, setActive] = useState<Slice | null>(null)
  const total = slices.reduce((sum, { count }) => sum + count, 0)
  return (
    <div role="img" aria-label={summary} className="relative size-42 shrink-0">
      <svg
        viewBox={`${-SIZE / 2} ${-SIZE / 2} ${SIZE} ${SIZE}`}
        className="size-full -rotate-90 fill-none"
        strokeWidth={WIDTH}
        aria-hidden="true"
      >
        {total === 0 && <circle r={RADIUS} className="stroke-hover" />}
        {arcsOf(slices, total).map(({ slice, start, length }) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: see `onChoose`
          <circle
            key={slice.name}
            r={RADIUS}
            stroke={slice.color}
            strokeDasharray={`${length} ${100 - length}`}
            strokeDashoffset={-start}
            className={slice.onChoose && 'cursor-pointer hover:opacity-80'}
            onClick={slice.onChoose}
            onPointerEnter={() => setActive(slice)}
            onPointerLeave={() => setActive(null)}
          />
        ))}
      </svg>
      <Middle value={formatNumber((active ?? { count: total }).count)}>{active?.name ?? noun}</Middle>
    </div>
  )
}

function Middle({ value, children }: { value: string; children: ReactNode }) {
  return (
    <p className="pointer-events-none absolute inset-0 flex flex-col items-center justify-center leading-tight">
      <span className="text-xl font-semibold tracking-[-0.02em] tabular-nums">{value}</span>
      <span className="text-xs text-faint">{children}</span>
    </p>
  )
}

type Arc = { slice: Slice; start: number; length: number }

/** The arcs of the slices that are not empty, with a gap between them. Thin ones get the minimum, which the others give up. */
function arcsOf(slices: readonly Slice[], total: number): Arc[] {
  const shown = slices.filter(({ count }) => count > 0)
  const gap = shown.length > 1 ? GAP : 0
  const lengths = shown.map(({ count }) => Math.max(LENGTH_MIN + gap, (count / total) * 100))
  const scale = 100 / lengths.reduce((sum, length) => sum + length, 0)
  let start = 0
  return shown.map((slice, n) => {
    const whole = (lengths[n] ?? 0) * scale
    const arc = { slice, start, length: whole - gap }
    start += whole
    return arc
  })
}
