import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { FileCheck, Upload } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useMay } from '../../../session/workspace.ts'
import { buttonClass } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Segments } from '../../../ui/Segments.tsx'
import type { NewKey } from '../../accounts/keys/keys-query.ts'
import type { Goal } from '../search.ts'
import { AddressForm, Examples } from '../validate/AddressForm.tsx'
import { ResultPanel } from '../validate/ResultPanel.tsx'
import { useValidation } from '../validate/use-validation.ts'
import { Checklist } from './Checklist.tsx'
import { RequestCard } from './RequestCard.tsx'

type CardName = 'try' | 'request' | 'list'

const ORDERS: Record<Goal, CardName[]> = {
  'sign-ups': ['request', 'try', 'list'],
  list: ['list', 'try', 'request'],
  look: ['try', 'request', 'list'],
}
const WISHES = [
  { value: 'look', label: 'Explore' },
  { value: 'sign-ups', label: 'Validate sign-ups' },
  { value: 'list', label: 'Validate a list' },
] as const

export function QuickStartPage() {
  const { goal = 'look' } = useSearch({ from: '/shell/quick-start' })
  const may = useMay('validations:write')
  const navigate = useNavigate()
  // The key secret is kept only in this state: leaving the page discards it.
  const [made, setMade] = useState<NewKey>()
  const [hasTried, setTried] = useState(false)
  const choose = (next: Goal) =>
    void navigate({ to: '.', search: (now) => ({ ...now, goal: next === 'look' ? undefined : next }), replace: true })
  const cards: Record<CardName, ReactNode> = {
    try: <TryCard key="try" onAnswer={() => setTried(true)} />,
    request: <RequestCard key="request" made={made} onMade={setMade} />,
    list: <ListCard key="list" />,
  }
  return (
    <Page
      title="Quick start"
      about="This page uses test mode. Results are simulated, no mail servers are contacted and no credits are used."
      width="wide"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <span aria-hidden="true" className="text-soft">
          I want to
        </span>
        <Segments label="I want to" value={goal} choices={WISHES} onChange={choose} />
      </div>
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_19rem]">
        <div className="flex min-w-0 flex-col gap-6">{ORDERS[goal].map((name) => cards[name])}</div>
        {may && <Checklist hasTried={hasTried} />}
      </div>
    </Page>
  )
}

function ListCard() {
  const may = useMay('jobs:write')
  return (
    <Card
      title="Validate a list"
      about="Upload a CSV or XLSX file, choose the email column, confirm the cost and download the results."
    >
      {may ? (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <Link to="/lists/new" search={{ mode: 'test' }} className={buttonClass('secondary')}>
            <Upload className="size-4" aria-hidden="true" />
            Upload list in test mode
          </Link>
          <Link to="/lists/new" search={{ mode: 'test', sample: 1 }} className={buttonClass('quiet')}>
            <FileCheck className="size-4" aria-hidden="true" />
            Use a sample file
          </Link>
        </div>
      ) : (
        <p className="text-soft">
          Your role cannot upload lists. You need the role owner, admin, developer or marketer.
        </p>
      )}
    </Card>
  )
}

const EXAMPLES = ['valid', 'typo', 'disposable', 'catch-all', 'unknown']

/** A validation in test mode that needs no setup. */
function TryCard({ onAnswer }: { onAnswer(): void }) {
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
          <ResultPanel validation={validation} onTry={ask} />
        </div>
      )}
    </div>
  )
}
