import type { Policy } from '@probity/sdk'
import { clsx } from 'clsx'
import { Ban, Check, Eye } from 'lucide-react'
import type { ReactNode } from 'react'
import { Badge, type Tone } from '../../../ui/Badge.tsx'
import { type Column, DataTable } from '../../../ui/Table.tsx'
import { describeWhen } from './policies.ts'

type RulesTableProps = {
  policy: Pick<Policy, 'name' | 'rules' | 'default'>
  /** The rule that matched the tried address, counted from 1; null for the default decision. */
  decidedBy?: number | null | undefined
}

/** A rule with its position, or the default decision. */
type Row = { position: number | null; decision: string; conditions: readonly string[]; reason: string }

const COLUMNS: Column<Row>[] = [
  { head: 'Rule', className: 'align-top tabular-nums', cell: ({ position }) => position },
  { head: 'Decision', className: 'align-top', cell: ({ decision }) => <DecisionBadge decision={decision} /> },
  { head: 'Conditions', className: 'min-w-56 align-top', cell: (row) => <Conditions of={row} /> },
  {
    head: 'Reason in the response',
    className: 'min-w-48 align-top text-soft [overflow-wrap:anywhere]',
    cell: ({ reason }) => reason,
  },
]

/** The rules in evaluation order, and the default decision. */
export function RulesTable({ policy: { name, rules, default: otherwise }, decidedBy }: RulesTableProps) {
  const rows: Row[] = [
    ...rules.map(({ when, decision, reason }, n) => ({
      position: n + 1,
      decision,
      conditions: describeWhen(when),
      reason,
    })),
    { position: null, conditions: [], ...otherwise },
  ]
  return (
    <DataTable
      caption={`Rules of ${name}`}
      columns={COLUMNS}
      rows={rows}
      keyOf={({ position, reason }) => `${position} ${reason}`}
      rowClassName={({ position }) => (decidedBy === position ? 'bg-accent-soft' : undefined)}
      card={(row) => <RuleCard row={row} isDecisive={decidedBy === row.position} />}
    />
  )
}

function RuleCard({ row, isDecisive }: { row: Row; isDecisive: boolean }) {
  return (
    <div className={clsx('flex flex-col gap-1.5', isDecisive && 'rounded-md bg-accent-soft p-2')}>
      <p className="flex items-center gap-2">
        {row.position !== null && <span className="font-medium">Rule {row.position}</span>}
        <DecisionBadge decision={row.decision} />
      </p>
      <div>
        <Conditions of={row} />
      </div>
      <p className="text-soft [overflow-wrap:anywhere]">{row.reason}</p>
    </div>
  )
}

function Conditions({ of: { position, conditions } }: { of: Row }) {
  if (position === null) return <span className="text-soft">Default</span>
  return conditions.map((line) => (
    <span key={line} className="block [overflow-wrap:anywhere]">
      {line}
    </span>
  ))
}

const LOOKS: Record<string, { tone: Tone; icon: ReactNode; word: string }> = {
  allow: { tone: 'valid', icon: <Check aria-hidden="true" />, word: 'Allow' },
  review: { tone: 'risky', icon: <Eye aria-hidden="true" />, word: 'Review' },
  block: { tone: 'invalid', icon: <Ban aria-hidden="true" />, word: 'Block' },
}

export function DecisionBadge({ decision, size = 'sm' }: { decision: string; size?: 'sm' | 'lg' }) {
  const look = LOOKS[decision]
  return (
    <Badge tone={look?.tone ?? 'unknown'} icon={look?.icon} size={size}>
      {look?.word ?? decision}
    </Badge>
  )
}
