import type { Policy } from '@probity/sdk'
import { Table, Td, Th } from '../../../ui/Table.tsx'
import { DecisionBadge } from './DecisionBadge.tsx'
import { describeWhen } from './policy-words.ts'

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
