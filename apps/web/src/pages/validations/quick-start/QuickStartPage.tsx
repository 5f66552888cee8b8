import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useMay } from '../../../session/may.ts'
import { Page } from '../../../ui/Page.tsx'
import { Segments } from '../../../ui/Segments.tsx'
import type { NewKey } from '../../accounts/keys/keys-query.ts'
import { Checklist } from './Checklist.tsx'
import { ListCard } from './ListCard.tsx'
import type { Goal } from './quick-start-search.ts'
import { RequestCard } from './RequestCard.tsx'
import { TryCard } from './TryCard.tsx'

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
