import type { Webhook, WebhookDelivery } from '@probity/sdk'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { asRequestFailed } from '../../../session/client.ts'
import { useScene } from '../../../session/workspace.ts'
import { formatCount, formatNumber, formatTime } from '../../../ui/format.ts'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { Table, Td, Th, useNarrow } from '../../../ui/Table.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { DeliveryBadge } from '../WebhookBadges.tsx'
import { useRefreshWebhooks } from '../webhooks.ts'

type DeliveriesProps = { deliveries: WebhookDelivery[]; chosen: Chosen }

/** One page of deliveries: a table on wide screens, cards on narrow ones. */
export function DeliveriesTable({ deliveries, chosen }: DeliveriesProps) {
  if (useNarrow()) return <DeliveryCards deliveries={deliveries} chosen={chosen} />
  return (
    <Table caption="Deliveries">
      <thead>
        <tr>
          <Th>
            <span className="sr-only">Select</span>
          </Th>
          <Th>Event</Th>
          <Th>Status</Th>
          <Th align="end">Attempts</Th>
          <Th>Created</Th>
          <Th>Completed or next attempt</Th>
        </tr>
      </thead>
      <tbody className="[&_tr:last-child>td]:border-b-0">
        {deliveries.map((delivery) => (
          <tr key={delivery.id}>
            <Td className="w-9">
              <Tick of={delivery} chosen={chosen} />
            </Td>
            <Td>
              <DeliveryLink of={delivery} />
            </Td>
            <Td>
              <DeliveryBadge of={delivery} />
            </Td>
            <Td align="end">{formatNumber(delivery.attempt_count)}</Td>
            <Td className="text-soft">
              <RelativeTime at={delivery.created_at} />
            </Td>
            <Td className="text-soft">
              <EndOrNext of={delivery} />
            </Td>
          </tr>
        ))}
      </tbody>
    </Table>
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

function DeliveryCards({ deliveries, chosen }: DeliveriesProps) {
  return (
    <ul aria-label="Deliveries" className="flex flex-col divide-y divide-line border-y border-line">
      {deliveries.map((delivery) => (
        <li key={delivery.id} className="flex flex-col gap-1.5 py-3">
          <div className="flex items-center gap-2.5">
            <Tick of={delivery} chosen={chosen} />
            <DeliveryLink of={delivery} />
          </div>
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[0.8125rem] text-soft">
            <DeliveryBadge of={delivery} />
            <span>{formatCount(delivery.attempt_count, 'attempt', 'attempts')}</span>
          </div>
          <p className="text-[0.8125rem] text-faint">
            Created <RelativeTime at={delivery.created_at} /> · <EndOrNext of={delivery} />
          </p>
        </li>
      ))}
    </ul>
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

function EndOrNext({ of: { finished_at: finishedAt, retry_at: retryAt } }: { of: WebhookDelivery }) {
  if (finishedAt !== null) {
    return (
      <>
        completed <RelativeTime at={finishedAt} />
      </>
    )
  }
  if (retryAt === null || Date.parse(retryAt) <= Date.now()) return 'next attempt now'
  return (
    <>
      next attempt <RelativeTime at={retryAt} />
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
