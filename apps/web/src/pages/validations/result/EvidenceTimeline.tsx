import { reasonLabel } from '@probity/contract/constants/labels'
import type { Evidence } from '@probity/sdk'
import { clsx } from 'clsx'
import { Check, Circle, CircleHelp, type LucideIcon, TriangleAlert, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { checkRank, checkWords, type OutcomeKind, outcomeWords } from '../../../labels/checks.ts'
import { verdictLook } from '../../../labels/verdict.tsx'
import { reasonMeaning } from '../../../labels/verdict-sentences.ts'
import { formatMs, formatRelative } from '../../../ui/format.ts'
import type { AnyResult } from './result.ts'

const LOOKS: Record<OutcomeKind, { Icon: LucideIcon; dot: string; text: string }> = {
  good: { Icon: Check, dot: 'bg-valid-soft text-valid', text: 'text-valid' },
  bad: { Icon: X, dot: 'bg-invalid-soft text-invalid', text: 'text-invalid' },
  care: { Icon: TriangleAlert, dot: 'bg-risky-soft text-risky', text: 'text-risky' },
  open: { Icon: CircleHelp, dot: 'bg-unknown-soft text-unknown', text: 'text-unknown' },
  plain: { Icon: Circle, dot: 'bg-unknown-soft text-unknown', text: 'text-soft' },
}

/** The findings in processing order, from syntax to the verdict. */
export function EvidenceTimeline({ result, evidence }: { result: AnyResult; evidence: readonly Evidence[] }) {
  const ordered = evidence.toSorted((a, b) => checkRank(a.check) - checkRank(b.check))
  return (
    <ol>
      {ordered.map((found) => (
        <FoundStep key={`${found.check} ${found.checked_at}`} found={found} />
      ))}
      <Decision result={result} />
    </ol>
  )
}

function FoundStep({ found }: { found: Evidence }) {
  const { title, what } = checkWords(found.check)
  const { kind, word } = outcomeWords(found.check, found.outcome)
  const look = LOOKS[kind]
  return (
    <Step
      icon={<look.Icon className="size-3.5" aria-hidden="true" />}
      dot={look.dot}
      title={title}
      outcome={<span className={look.text}>{word}</span>}
      when={sourceOf(found)}
    >
      <p className="max-w-prose text-soft [overflow-wrap:anywhere]">{found.detail}</p>
      <WhatIsThis check={title}>{what}</WhatIsThis>
    </Step>
  )
}

function Decision({ result: { status, sub_status: subStatus } }: { result: AnyResult }) {
  const { Icon, word, tone } = verdictLook(status)
  const look = { valid: LOOKS.good, invalid: LOOKS.bad, risky: LOOKS.care, unknown: LOOKS.open, accent: LOOKS.open }[
    tone
  ]
  return (
    <Step
      icon={<Icon className="size-3.5" aria-hidden="true" />}
      dot={look.dot}
      title="Verdict"
      outcome={<span className={look.text}>{word}</span>}
      when={reasonLabel(subStatus)}
      isLast
    >
      <p className="max-w-prose text-soft">{reasonMeaning(status, subStatus)}</p>
      <WhatIsThis check="Verdict">
        Order: invalid, disposable, unknown, other risks, valid. A check that could not run never makes an address
        invalid.
      </WhatIsThis>
    </Step>
  )
}

type StepProps = {
  icon: ReactNode
  dot: string
  title: string
  outcome: ReactNode
  when: ReactNode
  isLast?: boolean
  children: ReactNode
}

function Step({ icon, dot, title, outcome, when, isLast = false, children }: StepProps) {
  return (
    <li className="relative flex gap-3 pb-4 last:pb-0">
      {!isLast && (
        <span aria-hidden="true" className="absolute start-3 top-7 bottom-0.5 w-px -translate-x-1/2 bg-line" />
      )}
      <span className={clsx('grid size-6 shrink-0 place-items-center rounded-full', dot)}>{icon}</span>
      <div className="min-w-0 flex-1 pt-0.5">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="font-medium">{title}</span>
          <span className="text-[0.8125rem] font-medium">{outcome}</span>
          <span className="ms-auto text-xs text-faint tabular-nums">{when}</span>
        </p>
        {children}
      </div>
    </li>
  )
}

function WhatIsThis({ check, children }: { check: string; children: ReactNode }) {
  return (
    <details className="group mt-0.5 text-[0.8125rem]">
      <summary className="inline-flex min-h-6 items-center text-faint hover:text-ink">
        What is this?<span className="sr-only"> {check}</span>
      </summary>
      <p className="mt-1 mb-1 max-w-prose rounded-md bg-sunken px-3 py-2 text-soft">{children}</p>
    </details>
  )
}

/** The duration of a live check, or the age of a cached one. */
function sourceOf({ source, checked_at, duration_ms }: Evidence): string {
  return source === 'cache' ? `cached ${formatRelative(Date.parse(checked_at))}` : `live, ${formatMs(duration_ms)}`
}
