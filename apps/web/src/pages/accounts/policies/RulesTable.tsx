import type { Policy } from '@probity/sdk'
import { Ban, Check, Eye } from 'lucide-react'
import type { ReactNode } from 'react'
import { Badge, type Tone } from '../../../ui/Badge.tsx'
import { Table, Td, Th } from '../../../ui/Table.tsx'
import { describeWhen } from './policies.ts'

type RulesTableProps = {
  policy: Pick<Policy, 'name' | 'rules' | 'default'>
  /** The rule that matched the tried address, counted from 1; null for the default decision. */
  decidedBy?: number | null | undefined
}

/** The rules in evaluation order, and the default decision. */
export function RulesTable({ policy: { name, rules, default: otherwise }, decidedBy }: RulesTableProps) {
  return (
    <Table caption={`Rules of ${name}`}>
      <thead>
        <tr>
          <Th>Rule</Th>
          <Th>Decision</Th>
          <Th>Conditions</Th>
          <Th>Reason in the response</Th>
        </tr>
      </thead>
      <tbody className="[&_tr:last-child>*]:border-b-0">
        {rules.map(({ when, decision, reason }, place) => (
          <tr key={`${place} ${reason}`} className={markOf(decidedBy === place + 1)}>
            <Td className="align-top tabular-nums">{place + 1}</Td>
            <Td className="align-top">
              <DecisionBadge decision={decision} />
            </Td>
            <Td className="min-w-56 align-top">
              {describeWhen(when).map((line) => (
                <span key={line} className="block [overflow-wrap:anywhere]">
                  {line}
                </span>
              ))}
            </Td>
            <Td className="min-w-48 align-top text-soft [overflow-wrap:anywhere]">{reason}</Td>
          </tr>
        ))}
        <tr className={markOf(decidedBy === null)}>
          <Td className="align-top" />
          <Td className="align-top">
            <DecisionBadge decision={otherwise.decision} />
          </Td>
          <Td className="align-top text-soft">Default</Td>
          <Td className="align-top text-soft [overflow-wrap:anywhere]">{otherwise.reason}</Td>
        </tr>
      </tbody>
    </Table>
  )
}

function markOf(isIt: boolean): string | undefined {
  return isIt ? 'bg-accent-soft' : undefined
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
