import { lazy, type ReactNode, Suspense } from 'react'
import { importWhenReachable } from '../session/import-page.ts'
import { formatNumber, formatShare } from '../ui/format.ts'
import { Table, Td, Th } from '../ui/Table.tsx'

const VerdictDonut = lazy(() =>
  importWhenReachable(async () => ({ default: (await import('./VerdictDonut.tsx')).VerdictDonut })),
)

export type Portion = {
  name: string
  count: number
  color: string
  /** Its first cell in the table: a badge or a link. */
  shown: ReactNode
  meaning: string
  advice: string
}

type DonutProps = {
  caption: string
  /** The chart as one sentence, for screen readers. */
  summary: string
  /** The unit of the number in the middle. */
  noun: string
  portions: Portion[]
}

/** A donut chart with the same figures as a table. */
export function DonutWithTable({ caption, summary, noun, portions }: DonutProps) {
  const total = portions.reduce((sum, { count }) => sum + count, 0)
  return (
    <figure className="flex flex-col items-center gap-x-8 gap-y-4 md:flex-row">
      <figcaption className="sr-only">{caption}</figcaption>
      <div role="img" aria-label={summary} className="relative size-42 shrink-0">
        <Suspense fallback={<div className="m-1 size-40 rounded-full border-[1.5rem] border-hover" />}>
          <VerdictDonut slices={portions} />
        </Suspense>
        <p className="absolute inset-0 flex flex-col items-center justify-center leading-tight">
          <span className="text-xl font-semibold tracking-[-0.02em] tabular-nums">{formatNumber(total)}</span>
          <span className="text-xs text-faint">{noun}</span>
        </p>
      </div>
      <Table caption={caption} className="w-full min-w-0 flex-1">
        <thead>
          <tr>
            <Th>Verdict</Th>
            <Th align="end">Addresses</Th>
            <Th align="end">Share</Th>
            <Th className="max-md:hidden">Meaning</Th>
            <Th className="max-sm:hidden">Recommendation</Th>
          </tr>
        </thead>
        <tbody>
          {portions.map((portion) => (
            <PortionRow key={portion.name} portion={portion} total={total} />
          ))}
        </tbody>
      </Table>
    </figure>
  )
}

function PortionRow({ portion: { shown, count, meaning, advice }, total }: { portion: Portion; total: number }) {
  return (
    <tr className="last:[&>td]:border-b-0">
      <Td>
        {shown}
        <p className="mt-1 text-xs text-faint sm:hidden">{advice}</p>
      </Td>
      <Td align="end">{formatNumber(count)}</Td>
      <Td align="end" className="text-soft">
        {formatShare(total === 0 ? 0 : count / total)}
      </Td>
      <Td className="max-w-xs text-soft max-md:hidden">{meaning}</Td>
      <Td className="whitespace-nowrap max-sm:hidden">{advice}</Td>
    </tr>
  )
}
