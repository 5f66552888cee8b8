import type { Webhook } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useScene } from '../../../session/workspace.ts'
import { DateTime } from '../../../ui/DateTime.tsx'
import { formatNumber, formatShare } from '../../../ui/format.ts'
import { CardFact, type Column, DataTable } from '../../../ui/Table.tsx'
import { DeliveryBadge, WebhookState, whyDisabled } from '../WebhookBadges.tsx'
import { describeEvents, LATELY_MAX, latelyQuery } from '../webhooks.ts'

const COLUMNS: Column<Webhook>[] = [
  { head: 'URL', isRowHead: true, className: 'max-w-sm font-normal', cell: (webhook) => <WebhookName of={webhook} /> },
  {
    head: 'Events',
    className: 'max-w-56 text-soft [overflow-wrap:anywhere]',
    cell: ({ events }) => describeEvents(events),
  },
  { head: 'Status', cell: (webhook) => <State of={webhook} /> },
  { head: 'Last delivery', cell: ({ id }) => <LastDelivery id={id} /> },
  { head: 'Last 24 hours', className: 'text-soft', cell: ({ id }) => <Rate id={id} /> },
]

export function WebhookTable({ webhooks }: { webhooks: Webhook[] }) {
  return (
    <DataTable
      caption="Webhooks"
      columns={COLUMNS}
      rows={webhooks}
      keyOf={({ id }) => id}
      cardLook="boxes"
      card={(webhook) => (
        <>
          <WebhookName of={webhook} />
          <State of={webhook} />
          <dl className="flex flex-col gap-2 text-[0.8125rem]">
            <CardFact name="Events">{describeEvents(webhook.events)}</CardFact>
            <CardFact name="Last delivery">
              <LastDelivery id={webhook.id} />
            </CardFact>
            <CardFact name="Last 24 hours">
              <Rate id={webhook.id} />
            </CardFact>
          </dl>
        </>
      )}
    />
  )
}

function WebhookName({ of: { id, url, description } }: { of: Webhook }) {
  return (
    <>
      <Link
        to="/webhooks/$webhookId"
        params={{ webhookId: id }}
        className="inline-flex min-h-6 items-center font-medium [overflow-wrap:anywhere] underline-offset-4 hover:underline"
      >
        {url}
      </Link>
      {description && <span className="block text-xs text-faint [overflow-wrap:anywhere]">{description}</span>}
    </>
  )
}

function State({ of: webhook }: { of: Webhook }) {
  return (
    <>
      <WebhookState of={webhook} />
      {!webhook.enabled && (
        <span className="mt-1 block text-xs text-faint">{whyDisabled(webhook.disabled_reason)}</span>
      )}
    </>
  )
}

/** Fetched per webhook: there are at most ten, and the rest of the table does not wait. */
function LastDelivery({ id }: { id: string }) {
  const { data: lately, isError } = useQuery(latelyQuery(useScene(), id))
  if (lately === undefined) {
    return isError ? <span className="text-faint">Not available</span> : <span className="skeleton block h-5 w-32" />
  }
  const { last: data } = lately
  if (data === null) return <span className="text-faint">No deliveries yet</span>
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <DeliveryBadge of={data} />
      <span className="text-soft">
        <DateTime at={data.created_at} />
      </span>
    </span>
  )
}

/** The share of delivered among completed deliveries, limited to the newest 100. */
function Rate({ id }: { id: string }) {
  const { data } = useQuery(latelyQuery(useScene(), id))
  if (data === undefined) return null // the cell beside it says why
  const { delivered, ended } = data.rate
  if (ended === 0) return <span className="text-faint">No completed deliveries</span>
  const of = ended === LATELY_MAX ? `the last ${formatNumber(ended)}` : formatNumber(ended)
  return (
    <span className="whitespace-nowrap tabular-nums">
      {formatShare(delivered / ended)} of {of} delivered
    </span>
  )
}
