import { Link } from '@tanstack/react-router'
import { ChevronRight, Link2, MailCheck } from 'lucide-react'
import { useRef, useState } from 'react'
import { useMay, useScene } from '../../../session/workspace.ts'
import { ProbingNow } from '../../../shell/ProbingNotice.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Field, SelectInput } from '../../../ui/Field.tsx'
import { Page } from '../../../ui/Page.tsx'
import { EmptyState, NoPermission } from '../../../ui/States.tsx'
import { Deliverability } from '../result/Deliverability.tsx'
import { AddressForm, Examples } from './AddressForm.tsx'
import { RecentCard } from './RecentValidations.tsx'
import { ResultPanel } from './ResultPanel.tsx'
import { SeveralPasted } from './SeveralPasted.tsx'
import { useRecentValidations } from './use-recent-validations.ts'
import { useValidation, type ValidationRequest, type ValidationState } from './use-validation.ts'

const ABOUT = 'Validate one address and see the evidence behind the verdict.'

export function ValidatePage() {
  const may = useMay('validations:write')
  return (
    <Page title="Validate" about={ABOUT}>
      {may ? <Workbench /> : <NoPermission what="validate addresses" roles="owner, admin, developer or marketer" />}
    </Page>
  )
}

const EXAMPLES = [
  'valid',
  'invalid',
  'catch-all',
  'unknown',
  'typo',
  'disposable',
  'mailbox-full',
  'role',
  'greylisted',
  'slow-5s',
  'error-429',
]
const TIMEOUT_DEFAULT_S = 10

function Workbench() {
  const { mode } = useScene()
  const recent = useRecentValidations()
  const validation = useValidation(mode, recent.keep)
  // Never in the URL: email addresses must not end up in logs and browser histories.
  const [email, setEmail] = useState('')
  const [timeout, setTimeoutS] = useState(TIMEOUT_DEFAULT_S)
  const input = useRef<HTMLInputElement>(null)
  const [several, setSeveral] = useState<string[]>([])
  const request = (asked: ValidationRequest) => {
    setEmail(asked.email)
    setSeveral([])
    validation.ask({ ...asked, timeout })
    input.current?.focus()
  }
  const ask = (wanted: string) => request({ email: wanted })
  const takeFirst = (first: string) => {
    setEmail(first)
    setSeveral([])
    input.current?.focus()
  }
  const isAsking = validation.state.kind === 'asking'
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_18rem]">
      <div className="flex min-w-0 flex-col gap-6">
        <ProbingNow />
        <Card>
          <AddressForm
            value={email}
            onChange={setEmail}
            onSubmit={ask}
            onSeveral={setSeveral}
            busy={isAsking}
            inputRef={input}
          >
            {several.length > 0 && (
              <SeveralPasted emails={several} onUseFirst={takeFirst} onClose={() => setSeveral([])} />
            )}
            {mode === 'test' && <Examples names={EXAMPLES} onPick={ask} disabled={isAsking} />}
            <TimeoutOption value={timeout} onChange={setTimeoutS} />
          </AddressForm>
        </Card>
        <Card>
          {validation.state.kind === 'idle' ? <Nothing /> : <h2 className="sr-only">Result</h2>}
          <ResultPanel validation={validation} onTry={ask} withCode Explain={Deliverability} />
          <ResultLink state={validation.state} />
        </Card>
      </div>
      <RecentCard recent={recent} onOpen={validation.show} onAskAgain={request} />
    </div>
  )
}

function Nothing() {
  const { mode } = useScene()
  return (
    <EmptyState icon={<MailCheck aria-hidden="true" />} title="No result yet">
      {mode === 'test' ? (
        <p>
          Choose an example. In test mode the part before the @ selects the result, and no mail server is contacted.
        </p>
      ) : (
        <p>
          We probe the domain’s mail server without sending a message. One address costs one credit. To try it free of
          charge,{' '}
          <Link to="." search={{ mode: 'test' }} className="text-accent-text underline underline-offset-2">
            use test mode
          </Link>
          .
        </p>
      )}
    </EmptyState>
  )
}

/** A link to the stored result for other members. Test mode stores no results, so it has no link. */
function ResultLink({ state }: { state: ValidationState }) {
  const { mode } = useScene()
  if (mode === 'test' || state.kind !== 'answered') return null
  return (
    <p className="mt-4 border-t border-line pt-3 text-[0.8125rem]">
      <Link
        to="/validate/$validationId"
        params={{ validationId: state.answer.result.id }}
        className="inline-flex min-h-6 items-center gap-1.5 text-accent-text underline-offset-4 hover:underline"
      >
        <Link2 className="size-4" aria-hidden="true" />
        Link to this result
      </Link>
    </p>
  )
}

const TIMEOUTS_S = [5, 10, 20, 30] as const

/** Trades a quick result against a conclusive one. */
function TimeoutOption({ value, onChange }: { value: number; onChange(value: number): void }) {
  return (
    <details className="group">
      <summary className="inline-flex min-h-7 items-center gap-1 text-[0.8125rem] text-soft select-none hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight className="size-3.5 transition-transform group-open:rotate-90" aria-hidden="true" />
        Options
      </summary>
      <Field
        label="Timeout"
        hint="Without a result by then, the status is unknown and validation continues in the background. Validate the address again to get the final result at no charge."
        className="mt-2 max-w-sm"
      >
        {(ids) => (
          <SelectInput {...ids} value={value} onChange={(event) => onChange(Number(event.target.value))}>
            {TIMEOUTS_S.map((seconds) => (
              <option key={seconds} value={seconds}>
                {seconds} seconds
              </option>
            ))}
          </SelectInput>
        )}
      </Field>
    </details>
  )
}
