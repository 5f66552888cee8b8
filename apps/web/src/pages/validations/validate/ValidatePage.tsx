import { Link } from '@tanstack/react-router'
import { MailCheck } from 'lucide-react'
import { useRef, useState } from 'react'
import { useMay } from '../../../session/may.ts'
import { useScene } from '../../../session/scene.ts'
import { ProbingNow } from '../../../shell/ProbingNotice.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Page } from '../../../ui/Page.tsx'
import { EmptyState, NoPermission } from '../../../ui/States.tsx'
import { Chance } from '../result/Chance.tsx'
import { AddressForm } from './AddressForm.tsx'
import { AnswerPanel } from './AnswerPanel.tsx'
import { Examples } from './Examples.tsx'
import { RecentChecks } from './RecentChecks.tsx'
import { ResultLink } from './ResultLink.tsx'
import { useRecentChecks } from './recent-checks.ts'
import { TimeoutOption } from './TimeoutOption.tsx'
import { useValidation } from './use-validation.ts'

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
  const recent = useRecentChecks()
  const validation = useValidation(mode, recent.keep)
  // Never in the URL: email addresses must not end up in logs and browser histories.
  const [email, setEmail] = useState('')
  const [timeout, setTimeoutS] = useState(TIMEOUT_DEFAULT_S)
  const input = useRef<HTMLInputElement>(null)
  const ask = (wanted: string) => {
    setEmail(wanted)
    validation.ask({ email: wanted, timeout })
    input.current?.focus()
  }
  const isAsking = validation.state.kind === 'asking'
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_18rem]">
      <div className="flex min-w-0 flex-col gap-6">
        <ProbingNow />
        <Card>
          <AddressForm value={email} onChange={setEmail} onSubmit={ask} busy={isAsking} inputRef={input}>
            {mode === 'test' && <Examples names={EXAMPLES} onPick={ask} disabled={isAsking} />}
            <TimeoutOption value={timeout} onChange={setTimeoutS} />
          </AddressForm>
        </Card>
        <Card>
          {validation.state.kind === 'idle' ? <Nothing /> : <h2 className="sr-only">Result</h2>}
          <AnswerPanel validation={validation} onTry={ask} withCode Explain={Chance} />
          <ResultLink state={validation.state} />
        </Card>
      </div>
      <RecentChecks answers={recent.answers} isKept={recent.isKept} onOpen={validation.show} onClear={recent.clear} />
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
