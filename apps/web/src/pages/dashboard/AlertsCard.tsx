import type { Overview } from '@probity/sdk'
import { Link } from '@tanstack/react-router'
import { Clock, Coins, KeyRound, type LucideIcon, TriangleAlert, Webhook } from 'lucide-react'
import type { ReactNode } from 'react'
import { Card } from '../../ui/Card.tsx'
import { formatDateTime, formatRelative } from '../../ui/format.ts'
import { PartFailed } from './PartFailed.tsx'

type Alert = NonNullable<Overview['alerts']>[number]

const LINK = 'font-medium [overflow-wrap:anywhere] underline underline-offset-4'

/** What somebody should look at. Where there is nothing, nothing is said. */
export function AlertsCard({ alerts, onRetry }: { alerts: Overview['alerts']; onRetry(): void }) {
  if (alerts?.length === 0) return null
  return (
    <Card title="Worth a look">
      {alerts === null ? (
        <PartFailed what="What needs a look" onRetry={onRetry} />
      ) : (
        <ul aria-label="Worth a look" className="flex flex-col gap-2.5">
          {alerts.map((alert) => (
            <AlertLine key={`${alert.kind} ${alert.id}`} alert={alert} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function AlertLine({ alert }: { alert: Alert }) {
  const { Icon, words } = ALERTS[alert.kind] ?? OTHER
  return (
    <li className="flex items-start gap-2.5">
      <Icon className="mt-0.5 size-4 shrink-0 text-risky" aria-hidden="true" />
      <p className="min-w-0 text-soft">{words(alert)}</p>
    </li>
  )
}

const ALERTS: Record<string, { Icon: LucideIcon; words(alert: Alert): ReactNode }> = {
  webhook_failing: {
    Icon: Webhook,
    words: (alert) => (
      <>
        The webhook {hookLink(alert)} has been failing{since(alert)}.
      </>
    ),
  },
  webhook_disabled: {
    Icon: Webhook,
    words: (alert) => <>The webhook {hookLink(alert)} was switched off since it kept failing.</>,
  },
  credits_low: {
    Icon: Coins,
    words: () => (
      <>
        Credits are running low.{' '}
        <Link to="/usage" className={LINK}>
          See what is left
        </Link>
      </>
    ),
  },
  results_expiring: {
    Icon: Clock,
    words: ({ id, name, occurred_at: at }) => (
      <>
        The results of{' '}
        <Link to="/lists/$jobId" params={{ jobId: id ?? '' }} className={LINK}>
          {name ?? 'a list'}
        </Link>{' '}
        expire {at && `on ${formatDateTime(at)}`}. Download what you need.
      </>
    ),
  },
  key_unused: {
    Icon: KeyRound,
    words: ({ name, occurred_at: at }) => (
      <>
        The key{' '}
        <Link to="/keys" className={LINK}>
          {name ?? 'without a name'}
        </Link>{' '}
        was last used {at ? formatRelative(at) : 'long ago'}. Revoke it if nobody needs it.
      </>
    ),
  },
}

/** The kinds are an open list. */
const OTHER = {
  Icon: TriangleAlert,
  words: ({ kind, name }: Alert): ReactNode => `${kind.replaceAll('_', ' ')}${name ? `: ${name}` : ''}`,
}

function hookLink({ id, name }: Alert): ReactNode {
  return (
    <Link to="/webhooks/$webhookId" params={{ webhookId: id ?? '' }} className={LINK}>
      {name ?? 'without a name'}
    </Link>
  )
}

function since({ occurred_at: at }: Alert): string {
  return at ? ` since ${formatDateTime(at)}` : ''
}
