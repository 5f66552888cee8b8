import { clsx } from 'clsx'
import { ArrowDown, ArrowUp, type LucideIcon, Minus } from 'lucide-react'
import { checkWords, outcomeWords } from '../../../labels/checks.ts'
import { formatShare } from '../../../ui/format.ts'
import {
  chanceSentence,
  type Leaning,
  modelSentence,
  partLabel,
  type ScorePart,
  scoreBreakdown,
} from './deliverability-labels.ts'
import type { AnyResult } from './result.ts'

/** The deliverability and its calculation. Empty for results without log-odds. */
export function Deliverability({ result }: { result: AnyResult }) {
  const parts = scoreBreakdown(result)
  if (parts.length === 0) return null
  return (
    <section className="flex flex-col gap-3">
      <div>
        <h3 className="font-semibold">Deliverability</h3>
        <p className="mt-1 max-w-prose text-[0.9375rem]">{chanceSentence(result.deliverability)}</p>
        <p className="mt-1 max-w-prose text-soft">{modelSentence(result)}</p>
      </div>
      <div>
        <h4 className="font-medium">Calculation</h4>
        <p className="text-[0.8125rem] text-soft">Starting point: {formatShare(0.5)}.</p>
        <ol className="mt-2 flex flex-col gap-3">
          {parts.map((part, n) => (
            <Part key={part.check} part={part} isFirst={n === 0} />
          ))}
        </ol>
        <InFigures parts={parts} />
      </div>
    </section>
  )
}

const LOOKS: Record<Leaning['side'], { Icon: LucideIcon; dot: string; fill: string }> = {
  for: { Icon: ArrowUp, dot: 'bg-valid-soft text-valid', fill: 'bg-valid-solid' },
  against: { Icon: ArrowDown, dot: 'bg-invalid-soft text-invalid', fill: 'bg-invalid-solid' },
  neither: { Icon: Minus, dot: 'bg-unknown-soft text-unknown', fill: 'bg-unknown-solid' },
}

function Part({ part, isFirst }: { part: ScorePart; isFirst: boolean }) {
  const { check, outcome, chance } = part
  const { side, words } = partLabel(part, isFirst)
  const { Icon, dot, fill } = LOOKS[side]
  return (
    <li className="flex gap-3">
      <span className={clsx('grid size-6 shrink-0 place-items-center rounded-full', dot)}>
        <Icon className="size-3.5" aria-hidden="true" />
      </span>
      <div className="min-w-0 flex-1 pt-0.5">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="font-medium">{checkWords(check).title}</span>
          <span className="text-[0.8125rem] text-soft">{outcomeWords(check, outcome).word}</span>
          <span className="ms-auto font-medium tabular-nums">
            <span className="sr-only">Deliverability so far: </span>
            {formatShare(chance)}
          </span>
        </p>
        <div aria-hidden="true" className="my-1.5 h-1 rounded-full bg-hover">
          <div className={clsx('h-full min-w-0.5 rounded-full', fill)} style={{ width: `${chance * 100}%` }} />
        </div>
        <p className="text-[0.8125rem] text-soft">{words}</p>
      </div>
    </li>
  )
}

const SIGNED = new Intl.NumberFormat('en-GB', { signDisplay: 'exceptZero', minimumFractionDigits: 3 })

/** The figures behind the calculation, so that readers can check the sum. */
function InFigures({ parts }: { parts: ScorePart[] }) {
  const sum = parts.reduce((total, { logOdds }) => total + logOdds, 0)
  return (
    <details className="mt-2 text-[0.8125rem]">
      <summary className="inline-flex min-h-6 items-center text-faint hover:text-ink">Show log-odds</summary>
      <div className="mt-1 rounded-md bg-sunken px-3 py-2 text-soft">
        <p className="max-w-prose">
          Deliverability is calculated as a sum of log-odds. 0 equals 50%. Each additional 0.693 doubles the odds that a
          message does not bounce.
        </p>
        <dl className="mt-1.5 grid w-fit grid-cols-[auto_auto] gap-x-6 tabular-nums">
          {parts.map(({ check, logOdds }) => (
            <Figure key={check} name={checkWords(check).title} value={logOdds} />
          ))}
          <Figure name="Total" value={sum} />
        </dl>
      </div>
    </details>
  )
}

function Figure({ name, value }: { name: string; value: number }) {
  return (
    <div className="contents">
      <dt>{name}</dt>
      <dd className="text-end font-mono">{SIGNED.format(value)}</dd>
    </div>
  )
}
