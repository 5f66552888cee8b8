import { Pie, PieChart } from 'recharts'

export type Slice = { name: string; count: number; color: string }

const SIZE = 168
/** The minimum angle keeps thin slices visible. */
const ANGLE_MIN = 3

/** Loaded on first use: the chart library is larger than the page. */
export function VerdictDonut({ slices }: { slices: Slice[] }) {
  const data = slices.filter(({ count }) => count > 0).map(({ name, count, color }) => ({ name, count, fill: color }))
  const isEmpty = data.length === 0
  return (
    <PieChart width={SIZE} height={SIZE} accessibilityLayer={false}>
      <Pie
        data={isEmpty ? [{ name: 'none', count: 1, fill: 'var(--color-hover)' }] : data}
        dataKey="count"
        nameKey="name"
        innerRadius={56}
        outerRadius={80}
        startAngle={90}
        endAngle={-270}
        minAngle={ANGLE_MIN}
        paddingAngle={data.length > 1 ? 1.5 : 0}
        stroke="none"
        isAnimationActive={false}
      />
    </PieChart>
  )
}
