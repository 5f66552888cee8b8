import type { Webhook } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useScene } from '../../../session/workspace.ts'
import { formatNumber, formatShare } from '../../../ui/format.ts'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { Table, Td, Th, useNarrow } from '../../../ui/Table.tsx'
import { DeliveryBadge, WebhookState, whyDisabled } from '../WebhookBadges.tsx'
import { describeEvents, LATELY_MAX, latelyQuery } from '../webhooks.ts'

/** A table on wide screens, cards with the same fields on narrow ones. */
export function WebhookTable({ webhooks }: { webhooks: Webhook[] }) {
  if (useNarrow()) return <WebhookCards webhooks={webhooks} />
  return (
    <Table caption="Webhooks">
      <thead>
        <tr>
          <Th>URL</Th>
          <Th>Events</Th>
          <Th>Status</Th>
          <Th>Last delivery</Th>
          <Th>Last 24 hours</Th>
        </tr>
      </thead>
      <tbody className="[&_tr:last-child>*]:border-b-0">
        {webhooks.map((webhook) => (
          <tr key={webhook.id}>
            <th scope="row" className="max-w-sm border-b border-line py-2.5 pe-3 text-start font-normal">
              <WebhookName of={webhook} />
            </th>
            <Td className="max-w-56 text-soft [overflow-wrap:anywhere]">{describeEvents(webhook.events)}</Td>
            <Td>
              <State of={webhook} />
            </Td>
            <Td>
              <LastDelivery id={webhook.id} />
            </Td>
            <Td className="text-soft">
              <Rate id={webhook.id} />
            </Td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

function WebhookCards({ webhooks }: { webhooks: Webhook[] }) {
  return (
    <ul aria-label="Webhooks" className="flex flex-col gap-3">
      {webhooks.map((webhook) => (
        <li
          key={webhook.id}
          className="flex flex-col gap-3 rounded-lg border border-line bg-surface px-4 py-3 shadow-card"
        >
          <WebhookName of={webhook} />
          <State of={webhook} />
          <dl className="flex flex-col gap-2 text-[0.8125rem] [&_dt]:text-xs [&_dt]:text-faint">
            <div>
              <dt>Events</dt>
              <dd className="[overflow-wrap:anywhere]">{describeEvents(webhook.events)}</dd>
            </div>
            <div>
              <dt>Last delivery</dt>
              <dd>
                <LastDelivery id={webhook.id} />
              </dd>
            </div>
            <div>
              <dt>Last 24 hours</dt>
              <dd>
                <Rate id={webhook.id} />
              </dd>
            </div>
          </dl>
        </li>
      ))}
    </ul>
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
        <RelativeTime at={data.created_at} />
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
