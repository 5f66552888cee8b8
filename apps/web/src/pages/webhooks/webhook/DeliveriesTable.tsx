import type { Webhook, WebhookDelivery } from '@probity/sdk'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { asRequestFailed } from '../../../session/client.ts'
import { useScene } from '../../../session/workspace.ts'
import { DateTime } from '../../../ui/DateTime.tsx'
import { formatCount, formatNumber, formatTime } from '../../../ui/format.ts'
import { type Column, DataTable } from '../../../ui/Table.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { DeliveryBadge } from '../WebhookBadges.tsx'
import { useRefreshWebhooks } from '../webhooks.ts'

const COLUMNS: Column<WebhookDelivery>[] = [
  { head: 'Event', cell: (delivery) => <DeliveryLink of={delivery} /> },
  { head: 'Status', cell: (delivery) => <DeliveryBadge of={delivery} /> },
  { head: 'Attempts', align: 'end', cell: (delivery) => formatNumber(delivery.attempt_count) },
  { head: 'Created', className: 'text-soft', cell: (delivery) => <DateTime at={delivery.created_at} /> },
  { head: 'Last or next attempt', className: 'text-soft', cell: (delivery) => <EndOrNext of={delivery} /> },
]

/** One page of deliveries. */
export function DeliveriesTable({ deliveries, chosen }: { deliveries: WebhookDelivery[]; chosen: Chosen }) {
  const tick = (delivery: WebhookDelivery) => <Tick of={delivery} chosen={chosen} />
  return (
    <DataTable
      caption="Deliveries"
      columns={[{ head: 'Select', isHeadHidden: true, className: 'w-9', cell: tick }, ...COLUMNS]}
      rows={deliveries}
      keyOf={({ id }) => id}
      card={(delivery) => (
        <>
          <div className="flex items-center gap-2.5">
            {tick(delivery)}
            <DeliveryLink of={delivery} />
          </div>
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[0.8125rem] text-soft">
            <DeliveryBadge of={delivery} />
            <span>{formatCount(delivery.attempt_count, 'attempt', 'attempts')}</span>
          </div>
          <p className="text-[0.8125rem] text-faint">
            Created <DateTime at={delivery.created_at} /> · <EndOrNext of={delivery} />
          </p>
        </>
      )}
    />
  )
}

/** Selects a delivery for resending. The label includes the time, which distinguishes deliveries of one event type. */
function Tick({ of: { id, type, created_at: at }, chosen }: { of: WebhookDelivery; chosen: Chosen }) {
  return (
    <input
      type="checkbox"
      checked={chosen.has(id)}
      onChange={() => chosen.turn(id)}
      aria-label={`Select ${type} from ${formatTime(at)}`}
      className="block size-6 accent-accent"
    />
  )
}

function DeliveryLink({ of: { id, type } }: { of: WebhookDelivery }) {
  return (
    <Link
      from="/webhooks/$webhookId"
      to="."
      search={(now) => ({ ...now, delivery: id })}
      resetScroll={false}
      className="inline-flex min-h-6 items-center font-medium [overflow-wrap:anywhere] underline-offset-4 hover:underline pointer-coarse:min-h-10"
    >
      {type}
    </Link>
  )
}

function EndOrNext({ of: { status, finished_at: finishedAt, retry_at: retryAt } }: { of: WebhookDelivery }) {
  if (finishedAt !== null) {
    return (
      <>
        {status === 'delivered' ? 'Delivered' : 'Failed'} <DateTime at={finishedAt} />
      </>
    )
  }
  if (retryAt === null || Date.parse(retryAt) <= Date.now()) return 'Next attempt now'
  return (
    <>
      Next attempt <DateTime at={retryAt} />
    </>
  )
}

/** The selected deliveries of the page. */
type Chosen = { has(id: string): boolean; turn(id: string): void }

/** Resends the selected deliveries together. Deliveries that are no longer on the page are skipped. */
export function useChosen({ id: webhookId }: Webhook, shown: readonly WebhookDelivery[]) {
  const { webhooks } = useScene().probity
  const tell = useToasts()
  const refresh = useRefreshWebhooks()
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const [isSending, setSending] = useState(false)
  const wanted = shown.filter(({ id }) => ids.has(id))

  /** Sequential, and continues after a failure: one expired body must not stop the others. */
  async function send() {
    setSending(true)
    const faults: string[] = []
    for (const { id } of wanted) {
      await webhooks.deliveries
        .resend(webhookId, id)
        .catch((error: unknown) => faults.push(asRequestFailed(error).message))
    }
    const sent = wanted.length - faults.length
    if (sent > 0) tell.done(`${formatCount(sent, 'delivery', 'deliveries')} resent.`)
    if (faults[0])
      tell.failed(`${formatCount(faults.length, 'delivery', 'deliveries')} could not be resent. ${faults[0]}`)
    setIds(new Set())
    setSending(false)
    await refresh()
  }

  return {
    count: wanted.length,
    isSending,
    send: () => void send(),
    chosen: {
      has: (id: string) => ids.has(id),
      turn: (id: string) =>
        setIds((now) => (now.has(id) ? new Set([...now].filter((one) => one !== id)) : new Set([...now, id]))),
    },
  }
}
