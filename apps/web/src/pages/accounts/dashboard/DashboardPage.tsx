import { healthMessage } from '@probity/contract/constants/system'
import type { Overview } from '@probity/sdk'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { Link, type LinkProps, useNavigate, useSearch } from '@tanstack/react-router'
import { CircleCheck, CircleHelp, ListChecks, type LucideIcon, MailCheck, Terminal } from 'lucide-react'
import { accountQuery, type Scene, useMay, useScene } from '../../../session/workspace.ts'
import { useDelayReason } from '../../../shell/DelayBanner.tsx'
import { ProbingNotice } from '../../../shell/ProbingNotice.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { formatClock, formatDate, formatDateTime, formatNumber } from '../../../ui/format.ts'
import { Page } from '../../../ui/Page.tsx'
import { Segments } from '../../../ui/Segments.tsx'
import { PageFrame } from '../../../ui/States.tsx'
import { Checklist } from '../../validations/quick-start/Checklist.tsx'
import { DASHBOARD_RANGES, type DashboardRange, RANGE_USUAL } from '../search.ts'
import { forecast, usageQuery } from '../usage/usage-query.ts'
import { AlertsCard, ListsCard, ProblemsCard } from './DashboardCards.tsx'
import { CheckTiles, Tile, Unread } from './Tiles.tsx'
import { VerdictsCard } from './VerdictsCard.tsx'

const CHOICES = DASHBOARD_RANGES.map((days) => ({ value: String(days), label: `${days} days` }))

/** The overview of the account. A new account sees how to start. */
export function DashboardPage() {
  const { days = RANGE_USUAL } = useSearch({ from: '/shell/' })
  const scene = useScene()
  const query = useQuery(overviewQuery(scene, days))
  const { data, error, refetch } = query
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
          <PageFrame query={query} failed="The overview could not be loaded" loading="Loading the overview" lines={8} />
        </Card>
      )}
    </Page>
  )
}

function Ranges({ days }: { days: DashboardRange }) {
  const navigate = useNavigate({ from: '/' })
  const choose = (value: string) => {
    const next = Number(value) as DashboardRange
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

const PACE_DAYS = 30

/** Available credits, and when they run out at the usage of the last month. */
function CreditsTile() {
  const scene = useScene()
  const { data, isError } = useQuery(accountQuery(scene))
  const credits = data?.credits
  return (
    <Tile name="Available credits" to="/usage" about={credits && <RunOut {...credits} />}>
      {credits ? credits.unlimited ? 'Unlimited' : formatNumber(credits.available) : isError ? <Unread /> : '…'}
    </Tile>
  )
}

function RunOut({ available, unlimited }: { available: number; unlimited: boolean }) {
  const { data, isError } = useQuery({ ...usageQuery(useScene(), PACE_DAYS, 'day'), enabled: !unlimited })
  if (unlimited) return 'Unlimited plan'
  if (available === 0) return 'No credits left. Paid requests are rejected.'
  if (data?.days === undefined) return isError ? 'Forecast unavailable' : null
  const { perDay, until } = forecast(available, data.days, { days: PACE_DAYS, now: new Date() })
  if (perDay === 0) return `No usage in the last ${PACE_DAYS} days`
  return until ? `Runs out about ${formatDate(until)}` : 'Lasts for more than two years'
}

/** The status of mailbox providers, with times in the user's time zone. */
function ProvidersLine({ health }: { health: Overview['providers'] }) {
  const isDelayed = typeof useDelayReason() === 'string'
  const message = healthMessage(health, (retryAt) => timeOf(retryAt))
  if (health.status === 'limited') return <Callout kind="warning">{message}</Callout>
  // Without a worker no provider is probed, so the absence of limits means nothing.
  if (isDelayed) return null
  const isNormal = health.status === 'normal'
  const Icon = isNormal ? CircleCheck : CircleHelp
  return (
    <p className="flex items-center gap-2 text-soft">
      <Icon className={isNormal ? 'size-4 shrink-0 text-valid' : 'size-4 shrink-0 text-unknown'} aria-hidden="true" />
      {message}
    </p>
  )
}

/** The time, with the date if it is not today. */
function timeOf(until: string): string {
  return formatDate(until) === formatDate(Date.now()) ? formatClock(until) : formatDateTime(until)
}

type Start = { to: LinkProps['to'] & string; Icon: LucideIcon; title: string; about: string }

const STARTS: Start[] = [
  {
    to: '/validate',
    Icon: MailCheck,
    title: 'Validate an address',
    about: 'See a result and its evidence in seconds.',
  },
  {
    to: '/quick-start',
    Icon: Terminal,
    title: 'Make a request',
    about: 'A test key and ready-to-run code.',
  },
  {
    to: '/lists/new',
    Icon: ListChecks,
    title: 'Validate a list',
    about: 'Upload a file and remove addresses that bounce.',
  },
]

/** Shown instead of empty charts. */
function StartCards() {
  const { mode } = useScene()
  const may = useMay('validations:write')
  return (
    <>
      {mode === 'live' && (
        <div className="grid grid-cols-2 gap-3 sm:gap-4 xl:grid-cols-4">
          <CreditsTile />
        </div>
      )}
      <p className="text-soft">No activity in this mode yet. Requests and lists will appear here.</p>
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_19rem]">
        <StartLinks />
        {may && <Checklist />}
      </div>
    </>
  )
}

function StartLinks() {
  return (
    <ul aria-label="Get started" className="grid grid-cols-1 gap-4 md:grid-cols-3">
      {STARTS.map(({ to, Icon, title, about }) => (
        <li key={title}>
          <Link
            to={to}
            className="flex h-full flex-col gap-2 rounded-lg border border-line bg-surface p-5 shadow-card transition-colors hover:border-edge"
          >
            <Icon className="size-5 text-accent-text" aria-hidden="true" />
            <span className="font-semibold">{title}</span>
            <span className="text-soft">{about}</span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

const WHILE_LISTS_RUN_MS = 3_000
const OTHERWISE_MS = 30_000

/** The overview in one request, refreshed more often while lists are in progress. */
function overviewQuery({ key, probity }: Scene, days: number) {
  return queryOptions({
    queryKey: [...key, 'overview', days],
    queryFn: ({ signal }) => probity.overview({ days, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.jobs?.running.length ? WHILE_LISTS_RUN_MS : OTHERWISE_MS),
  })
}
