import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Check, Upload, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useMay, useScene } from '../../../session/workspace.ts'
import { Button, buttonClass, IconButton } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Segments } from '../../../ui/Tabs.tsx'
import { keysQuery, type NewKey } from '../../accounts/keys/keys-query.ts'
import type { Goal } from '../search.ts'
import { AddressForm, Examples } from '../validate/AddressForm.tsx'
import { ResultPanel } from '../validate/ResultPanel.tsx'
import { useValidation } from '../validate/use-validation.ts'
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
      about="Upload a CSV file, choose the email column, confirm the cost and download the results."
    >
      {may ? (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <Link to="/lists/new" search={{ mode: 'test' }} className={buttonClass('secondary')}>
            <Upload className="size-4" aria-hidden="true" />
            Upload list in test mode
          </Link>
          <p className="text-soft">A sample file is available.</p>
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

const DISMISSED = 'probity.checklist'
const TRIED = 'probity.tried'

/** The first steps. Completion is read from account data, so that it is the same on every device. */
function Checklist({ hasTried }: { hasTried: boolean }) {
  const [isOpen, setOpen] = useState(() => localStorage.getItem(DISMISSED) === null)
  const steps = useSteps(hasTried)
  const show = (next: boolean) => {
    if (next) localStorage.removeItem(DISMISSED)
    else localStorage.setItem(DISMISSED, 'closed')
    setOpen(next)
  }
  if (!isOpen) {
    return (
      <Button look="quiet" size="sm" className="justify-self-start" onClick={() => show(true)}>
        Show checklist
      </Button>
    )
  }
  const done = steps.filter((step) => step.isDone).length
  const close = (
    <IconButton label="Close checklist" size="sm" className="-me-2 -mt-1" onClick={() => show(false)}>
      <X aria-hidden="true" />
    </IconButton>
  )
  return (
    <Card title="Checklist" about={`${done} of ${steps.length} done`} actions={close}>
      <ul className="flex flex-col gap-3">
        {steps.map((step) => (
          <StepLine key={step.label} {...step} />
        ))}
      </ul>
    </Card>
  )
}

type Step = { label: string; isDone: boolean }

function StepLine({ label, isDone }: Step) {
  return (
    <li className="flex items-center gap-2.5">
      {isDone ? (
        <span className="grid size-5 shrink-0 place-items-center rounded-full bg-valid-soft text-valid">
          <Check className="size-3.5" aria-hidden="true" />
        </span>
      ) : (
        <span className="size-5 shrink-0 rounded-full border border-edge" aria-hidden="true" />
      )}
      <span className={isDone ? 'text-soft' : ''}>{label}</span>
      <span className="sr-only">{isDone ? 'done' : 'to do'}</span>
    </li>
  )
}

function useSteps(hasTried: boolean): Step[] {
  const scene = useScene()
  const { data: keys = [] } = useQuery({ ...keysQuery(scene), enabled: useMay('keys:read') })
  const { data: lists = [] } = useQuery({
    queryKey: [...scene.key, 'first-list'],
    queryFn: async ({ signal }) => (await scene.probity.jobs.list({ limit: 1, signal })).data,
  })
  if (hasTried) localStorage.setItem(TRIED, 'yes')
  return [
    { label: 'Validate an address', isDone: hasTried || localStorage.getItem(TRIED) !== null },
    { label: 'Create an API key', isDone: keys.length > 0 },
    { label: 'Make a request with the key', isDone: keys.some((key) => key.last_used_at !== null) },
    { label: 'Upload a list', isDone: lists.length > 0 },
  ]
}
