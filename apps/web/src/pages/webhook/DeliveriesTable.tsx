import type { WebhookDelivery } from '@probity/sdk'
import { Link } from '@tanstack/react-router'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Table, Td, Th } from '../../ui/Table.tsx'
import { useNarrow } from '../../ui/use-narrow.ts'
import { DeliveryBadge } from '../webhooks/DeliveryBadge.tsx'

/** One page of deliveries: a table where there is room, and otherwise cards. */
export function DeliveriesTable({ deliveries }: { deliveries: WebhookDelivery[] }) {
  if (useNarrow()) return <DeliveryCards deliveries={deliveries} />
  return (
    <Table caption="Deliveries">
      <thead>
        <tr>
          <Th>Event</Th>
          <Th>State</Th>
          <Th align="end">Tries</Th>
          <Th>Happened</Th>
          <Th>Ended or next try</Th>
        </tr>
      </thead>
      <tbody className="[&_tr:last-child>td]:border-b-0">
        {deliveries.map((delivery) => (
          <tr key={delivery.id}>
            <Td>
              <DeliveryLink of={delivery} />
            </Td>
            <Td>
              <DeliveryBadge of={delivery} />
            </Td>
            <Td align="end">{formatNumber(delivery.attempts)}</Td>
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

function DeliveryCards({ deliveries }: { deliveries: WebhookDelivery[] }) {
  return (
    <ul aria-label="Deliveries" className="flex flex-col divide-y divide-line border-y border-line">
      {deliveries.map((delivery) => (
        <li key={delivery.id} className="flex flex-col gap-1.5 py-3">
          <DeliveryLink of={delivery} />
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[0.8125rem] text-soft">
            <DeliveryBadge of={delivery} />
            <span>{formatCount(delivery.attempts, 'try', 'tries')}</span>
          </div>
          <p className="text-[0.8125rem] text-faint">
            Happened <RelativeTime at={delivery.created_at} /> · <EndOrNext of={delivery} />
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

function EndOrNext({ of: { finished_at: finishedAt, next_at: nextAt } }: { of: WebhookDelivery }) {
  if (finishedAt !== null) {
    return (
      <>
        ended <RelativeTime at={finishedAt} />
      </>
    )
  }
  if (nextAt === null || Date.parse(nextAt) <= Date.now()) return 'next try now'
  return (
    <>
      next try <RelativeTime at={nextAt} />
    </>
  )
}
