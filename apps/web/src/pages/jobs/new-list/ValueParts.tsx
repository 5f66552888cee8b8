import { ArrowRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatNumber } from '../../../ui/format.ts'

type FactProps = { icon: ReactNode; children: ReactNode; action?: ReactNode; details?: ReactNode }

/** A sentence about values of the column, with its details below. */
export function Fact({ icon, children, action, details }: FactProps) {
  return (
    <div className="flex gap-3">
      <span className="mt-0.5 shrink-0 text-faint [&_svg]:size-4">{icon}</span>
      <div className="flex min-w-0 flex-1 flex-col gap-2.5">
        <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
          <p className="min-w-0 flex-1 basis-52">{children}</p>
          {action}
        </div>
        {details}
      </div>
    </div>
  )
}

/** A value of a row, and the one that takes its place. */
export function Change({ row, from, to }: { row: number; from: string; to: string }) {
  return (
    <p className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5">
      <span className="w-18 shrink-0 text-[0.8125rem] text-faint tabular-nums max-sm:w-full">
        Row {formatNumber(row)}
      </span>
      <span className="min-w-0 text-soft">
        <VisibleText text={from} />
      </span>
      <span className="flex min-w-0 items-center gap-2">
        <ArrowRight className="size-3.5 shrink-0 text-faint rtl:rotate-180" aria-hidden="true" />
        <span className="sr-only">becomes</span>
        <VisibleText text={to} />
      </span>
    </p>
  )
}

/** Format characters such as zero-width spaces, variation selectors, fillers, and spaces that look like the usual one. */
const HIDDEN = /(\p{Cf}|\p{Variation_Selector}|[\u115f\u1160\u3164\uffa0]|(?! )\p{Zs})/u

/** A text of the file with its white space as it is, and with the code points of characters that cannot be seen. */
export function VisibleText({ text }: { text: string }) {
  return (
    <span className="font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere]">
      {text.split(HIDDEN).map((part, n) => (n % 2 === 0 ? part : <CodePoint key={n} character={part} />))}
    </span>
  )
}

function CodePoint({ character }: { character: string }) {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return (
    <span className="mx-0.5 rounded-sm bg-hover px-1 text-[0.6875rem] whitespace-nowrap text-soft">{`U+${code}`}</span>
  )
}
