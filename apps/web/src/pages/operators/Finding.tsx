import type { DoctorFix, DoctorStatus } from '@probity/contract/constants/operators'
import type { StoredFinding } from '@probity/contract/schemas/operators'
import { CircleAlert, CircleCheck, CircleHelp, TriangleAlert } from 'lucide-react'
import { Badge, type Tone } from '../../ui/Badge.tsx'
import { CodeBlock } from '../../ui/Code.tsx'
import { formatDateTime } from '../../ui/format.ts'

const LOOKS: Record<DoctorStatus, { word: string; tone: Tone; Icon: typeof CircleCheck }> = {
  fail: { word: 'Fail', tone: 'invalid', Icon: CircleAlert },
  warn: { word: 'Warning', tone: 'risky', Icon: TriangleAlert },
  unknown: { word: 'Unknown', tone: 'unknown', Icon: CircleHelp },
  pass: { word: 'Pass', tone: 'valid', Icon: CircleCheck },
}

/** A finding in full: what was observed, why it matters and how to fix it. */
export function FindingCard({ finding }: { finding: StoredFinding }) {
  const { title, status, saw, why, fix, docs, since_at: since } = finding
  const { word, tone, Icon } = LOOKS[status]
  return (
    <li className="flex flex-col gap-2 rounded-lg border border-line bg-surface px-5 py-4 shadow-card">
      <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-1">
        <h3 className="min-w-0 font-medium [overflow-wrap:anywhere]">{title}</h3>
        <Badge tone={tone} icon={<Icon aria-hidden="true" />}>
          {word}
        </Badge>
      </div>
      <p className="text-xs text-faint [overflow-wrap:anywhere]">
        {aboutOf(finding)} Since {formatDateTime(since)}.
      </p>
      <p className="max-w-prose [overflow-wrap:anywhere]">{saw}</p>
      <p className="max-w-prose text-soft">{why}</p>
      {fix && <FixBlock fix={fix} title={title} />}
      <a href={docs} className="self-start text-[0.8125rem] text-accent-text underline underline-offset-2">
        Documentation: {finding.id}
      </a>
    </li>
  )
}

function FixBlock({ fix: { says, lines }, title }: { fix: DoctorFix; title: string }) {
  return (
    <div className="flex flex-col gap-2">
      <p className="max-w-prose">
        <span className="font-medium">Fix: </span>
        {says}
      </p>
      {lines.length > 0 && <CodeBlock code={lines.join('\n')} label={`Commands for: ${title}`} />}
    </div>
  )
}

function aboutOf({ subject, host }: StoredFinding): string {
  const parts = [subject, host && `host ${host}`].filter((part) => part)
  return parts.length === 0 ? '' : `${parts.join(', ')}.`
}

/** Passing checks take one line. */
export function FindingLine({ finding }: { finding: StoredFinding }) {
  const { title, subject, saw } = finding
  const { tone, word, Icon } = LOOKS.pass
  return (
    <li className="flex flex-wrap items-start gap-x-2 gap-y-1 text-[0.8125rem]">
      <Badge tone={tone} icon={<Icon aria-hidden="true" />}>
        {word}
      </Badge>
      <p className="min-w-0 flex-1 basis-60 [overflow-wrap:anywhere]">
        {title}
        {subject && <span className="text-faint"> ({subject})</span>}
        <span className="text-soft">: {saw}</span>
      </p>
    </li>
  )
}
