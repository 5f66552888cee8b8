import { useState } from 'react'
import { useMay } from '../../../session/may.ts'
import { Card } from '../../../ui/Card.tsx'
import { AddressForm } from '../validate/AddressForm.tsx'
import { AnswerPanel } from '../validate/AnswerPanel.tsx'
import { Examples } from '../validate/Examples.tsx'
import { useValidation } from '../validate/use-validation.ts'

const EXAMPLES = ['valid', 'typo', 'disposable', 'catch-all', 'unknown']

/** A validation in test mode that needs no setup. */
export function TryCard({ onAnswer }: { onAnswer(): void }) {
  const may = useMay('validations:write')
  return (
    <Card title="Try it" about="The part before the @ selects the result. Each example shows a different verdict.">
      {may ? (
        <TryBox onAnswer={onAnswer} />
      ) : (
        <p className="text-soft">
          Your role cannot validate addresses. You need the role owner, admin, developer or marketer.
        </p>
      )}
    </Card>
  )
}

function TryBox({ onAnswer }: { onAnswer(): void }) {
  const [email, setEmail] = useState('')
  const validation = useValidation('test', onAnswer)
  const ask = (wanted: string) => {
    setEmail(wanted)
    validation.ask({ email: wanted })
  }
  const isAsking = validation.state.kind === 'asking'
  return (
    <div className="flex flex-col gap-5">
      <AddressForm value={email} onChange={setEmail} onSubmit={ask} busy={isAsking}>
        <Examples names={EXAMPLES} onPick={ask} disabled={isAsking} />
      </AddressForm>
      {validation.state.kind !== 'idle' && (
        <div className="border-t border-line pt-4">
          <AnswerPanel validation={validation} onTry={ask} />
        </div>
      )}
    </div>
  )
}
