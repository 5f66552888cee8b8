import type { Overview } from '@probity/sdk'
import { Link } from '@tanstack/react-router'
import { Clock, Coins, KeyRound, type LucideIcon, TriangleAlert, Webhook } from 'lucide-react'
import type { ReactNode } from 'react'
import { Card } from '../../../ui/Card.tsx'
import { formatDateTime, formatRelative } from '../../../ui/format.ts'
import { PartFailed } from './PartFailed.tsx'

type Alert = NonNullable<Overview['alerts']>[number]

const LINK = 'font-medium [overflow-wrap:anywhere] underline underline-offset-4'

/** Alerts that need attention. Hidden if there are none. */
export function AlertsCard({ alerts, onRetry }: { alerts: Overview['alerts']; onRetry(): void }) {
  if (alerts?.length === 0) return null
  return (
    <Card title="Needs attention">
      {alerts === null ? (
        <PartFailed what="The alerts" onRetry={onRetry} />
      ) : (
        <ul aria-label="Needs attention" className="flex flex-col gap-2.5">
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
    words: (alert) => <>The webhook {hookLink(alert)} was disabled after repeated failures.</>,
  },
  credits_low: {
    Icon: Coins,
    words: () => (
      <>
        Credits are running low.{' '}
        <Link to="/usage" className={LINK}>
          View credits
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
        expire {at && `on ${formatDateTime(at)}`}. Download them first.
      </>
    ),
  },
  key_unused: {
    Icon: KeyRound,
    words: ({ name, occurred_at: at }) => (
      <>
        The API key{' '}
        <Link to="/keys" className={LINK}>
          {name ?? 'without a name'}
        </Link>{' '}
        was last used {at ? formatRelative(at) : 'long ago'}. Revoke it if it is no longer needed.
      </>
    ),
  },
}

/** For kinds that this version does not know. */
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
