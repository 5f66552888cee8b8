import type { Overview } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { Navigate, useNavigate, useSearch } from '@tanstack/react-router'
import { useScene } from '../../../session/scene.ts'
import { ProbingNotice } from '../../../shell/ProbingNotice.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Segments } from '../../../ui/Segments.tsx'
import { ErrorState, Skeleton } from '../../../ui/States.tsx'
import { AlertsCard } from './AlertsCard.tsx'
import { CreditsTile } from './CreditsTile.tsx'
import { RANGE_USUAL, RANGES, type Range } from './dashboard-search.ts'
import { ListsCard } from './ListsCard.tsx'
import { overviewQuery } from './overview-query.ts'
import { ProblemsCard } from './ProblemsCard.tsx'
import { ProvidersLine } from './ProvidersLine.tsx'
import { StartCards } from './StartCards.tsx'
import { CheckTiles } from './Tiles.tsx'
import { VerdictsCard } from './VerdictsCard.tsx'

const CHOICES = RANGES.map((days) => ({ value: String(days), label: `${days} days` }))

/** The overview of the account. A new account sees how to start instead. */
export function DashboardPage() {
  const { days = RANGE_USUAL } = useSearch({ from: '/shell/' })
  const scene = useScene()
  const { data, error, refetch } = useQuery(overviewQuery(scene, days))
  if (data?.is_new && scene.mode === 'live') return <Navigate to="/quick-start" replace />
  return (
    <Page
      title="Dashboard"
      about="Overview of your account. Days are in UTC."
      actions={data && !data.is_new && <Ranges days={days} />}
    >
      {data ? (
        <>
          {error && <Callout kind="warning">The data could not be refreshed. It may be out of date.</Callout>}
          <Standing overview={data} days={days} onRetry={() => void refetch()} />
        </>
      ) : (
        <Card>
          {error ? (
            <ErrorState error={error} onRetry={() => void refetch()} what="The overview could not be loaded" />
          ) : (
            <Skeleton lines={8} label="Loading the overview" />
          )}
        </Card>
      )}
    </Page>
  )
}

function Ranges({ days }: { days: Range }) {
  const navigate = useNavigate({ from: '/' })
  const choose = (value: string) => {
    const next = Number(value) as Range
    void navigate({ search: next === RANGE_USUAL ? {} : { days: next }, replace: true, resetScroll: false })
  }
  return <Segments label="Time range" size="sm" value={String(days)} choices={CHOICES} onChange={choose} />
}

type StandingProps = { overview: Overview; days: number; onRetry(): void }

function Standing({ overview, days, onRetry }: StandingProps) {
  const { mode } = useScene()
  if (overview.is_new) return <StartCards />
  const { verdicts, jobs, problems, alerts } = overview
  return (
    <>
      <ProbingNotice probing={overview.probing} />
      {mode === 'live' && <ProvidersLine health={overview.providers} />}
      <div className="grid grid-cols-2 gap-3 sm:gap-4 xl:grid-cols-4">
        {mode === 'live' && <CreditsTile />}
        <CheckTiles verdicts={verdicts} jobs={jobs} days={days} />
      </div>
      <AlertsCard alerts={alerts} onRetry={onRetry} />
      <ListsCard lists={jobs} onRetry={onRetry} />
      <VerdictsCard verdicts={verdicts} onRetry={onRetry} />
      <ProblemsCard problems={problems} onRetry={onRetry} />
    </>
  )
}
