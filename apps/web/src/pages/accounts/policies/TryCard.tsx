import {
  decideByPolicy,
  type NamedPolicy,
  type PolicyDecision,
  type PolicyInput,
} from '@probity/contract/constants/policies'
import type { ValidationResult } from '@probity/sdk'
import { useState } from 'react'
import { VerdictBadge } from '../../../labels/verdict.tsx'
import type { Mode } from '../../../session/client.ts'
import { useMay, useScene } from '../../../session/workspace.ts'
import { Card } from '../../../ui/Card.tsx'
import { Segments } from '../../../ui/Segments.tsx'
import { AddressForm, Examples } from '../../validations/validate/AddressForm.tsx'
import { useValidation } from '../../validations/validate/use-validation.ts'
import { ValidationError } from '../../validations/validate/ValidationError.tsx'
import { DecisionBadge } from './RulesTable.tsx'

const EXAMPLES = ['valid', 'invalid', 'risky', 'unknown', 'role', 'disposable', 'mailbox-full', 'free']
const MODES: { value: Mode; label: string }[] = [
  { value: 'test', label: 'Simulated' },
  { value: 'live', label: 'Live (1 credit)' },
]

type TryCardProps = {
  /** The policy as shown on the page, saved or not. */
  policy: NamedPolicy
  onDecision?(decision: PolicyDecision | undefined): void
}

/** The decision of the policy for an address. The result is kept while rules change, and the decision is updated. */
export function TryCard({ policy, onDecision }: TryCardProps) {
  const scene = useScene()
  const mayAsk = useMay('validations:write')
  const [mode, setMode] = useState<Mode>('test')
  const [email, setEmail] = useState('')
  const decide = (result: ValidationResult) => decideByPolicy(policy, result as PolicyInput)
  const { state, ask, repeat } = useValidation(mode, ({ result }) => onDecision?.(decide(result)))
  const put = (address: string) => {
    setEmail(address)
    ask({ email: address })
  }
  if (!mayAsk) return null
  return (
    <Card
      title="Try it"
      about="Validate an address to see which rule matches. Simulated results use no credits."
      actions={
        scene.mode === 'live' && (
          <Segments label="Results" size="sm" value={mode} choices={MODES} onChange={(next: Mode) => setMode(next)} />
        )
      }
    >
      <div className="flex flex-col gap-4">
        <AddressForm value={email} onChange={setEmail} onSubmit={put} busy={state.kind === 'asking'}>
          {mode === 'test' && <Examples names={EXAMPLES} onPick={put} disabled={state.kind === 'asking'} />}
        </AddressForm>
        <div role="status">
          {state.kind === 'answered' && <Outcome result={state.answer.result} decision={decide(state.answer.result)} />}
        </div>
        {state.kind === 'failed' && (
          <ValidationError failure={state.failure} retryAfterS={state.retryAfterS} onRetry={repeat} />
        )}
      </div>
    </Card>
  )
}

function Outcome({ result, decision }: { result: ValidationResult; decision: PolicyDecision }) {
  const { rule } = decision
  return (
    <div className="flex flex-col gap-2 rounded-md border border-line bg-sunken px-4 py-3">
      <p className="flex flex-wrap items-center gap-2">
        <DecisionBadge decision={decision.decision} size="lg" />
        <span className="text-soft">{rule === null ? 'No rule matched' : `Rule ${rule} matched`}</span>
      </p>
      <p>{decision.reason}</p>
      <p className="flex flex-wrap items-center gap-2 text-soft">
        <VerdictBadge status={result.status} />
        <span className="[overflow-wrap:anywhere]">{result.email}</span>
      </p>
    </div>
  )
}
