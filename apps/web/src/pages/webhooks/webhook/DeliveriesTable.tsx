import type { WebhookDelivery } from '@probity/sdk'
import { Link } from '@tanstack/react-router'
import { formatCount, formatNumber, formatTime } from '../../../ui/format.ts'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { Table, Td, Th } from '../../../ui/Table.tsx'
import { useNarrow } from '../../../ui/use-narrow.ts'
import { DeliveryBadge } from '../overview/DeliveryBadge.tsx'
import type { Chosen } from './use-chosen.ts'

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
