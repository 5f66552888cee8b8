import { Pie, PieChart } from 'recharts'

export type Slice = { name: string; count: number; colour: string }

const SIZE = 168
/** A slice that is too thin to be seen would be missed: it is drawn a little wider than it is. */
const ANGLE_MIN = 3

/** Loaded when a page first shows one: the library that draws it is larger than the page. */
export function VerdictDonut({ slices }: { slices: Slice[] }) {
  const data = slices.filter(({ count }) => count > 0).map(({ name, count, colour }) => ({ name, count, fill: colour }))
  const isEmpty = data.length === 0
  return (
    <PieChart width={SIZE} height={SIZE} accessibilityLayer={false}>
      <Pie
        data={isEmpty ? [{ name: 'nothing yet', count: 1, fill: 'var(--color-hover)' }] : data}
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
