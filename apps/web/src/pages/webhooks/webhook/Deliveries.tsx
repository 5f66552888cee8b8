import type { Webhook } from '@probity/sdk'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { History, SearchX, Send } from 'lucide-react'
import { useState } from 'react'
import { useScene } from '../../../session/scene.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { formatCount } from '../../../ui/format.ts'
import { Pager } from '../../../ui/Pager.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../../ui/States.tsx'
import { DELIVERIES_PER_PAGE, deliveriesQuery } from '../overview/queries.ts'
import { DeliveriesTable } from './DeliveriesTable.tsx'
import { DeliveryDrawer } from './DeliveryDrawer.tsx'
import { DeliveryFilters } from './DeliveryFilters.tsx'
import { RecoverDialog } from './RecoverDialog.tsx'
import { useChosen } from './use-chosen.ts'
import { useWebhookSearch } from './use-webhook-search.ts'

/** The deliveries of a webhook, filtered and paged by the API. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const { search } = useWebhookSearch()
  const query = useQuery(deliveriesQuery(useScene(), webhook.id, search))
  const isFiltered = Boolean(search.status || search.type)
  const isEmpty = query.data?.total === 0 && !isFiltered
  return (
    <Card title="Deliveries" actions={!isEmpty && <Recover webhook={webhook} />}>
      {!isEmpty && <DeliveryFilters />}
      <Found webhook={webhook} query={query} isFiltered={isFiltered} />
      <DeliveryDrawer webhook={webhook} />
    </Card>
  )
}

function Recover({ webhook }: { webhook: Webhook }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        size="sm"
        disabled={!webhook.enabled}
        icon={<History className="size-4" aria-hidden="true" />}
        onClick={() => setOpen(true)}
      >
        Resend failed deliveries
      </Button>
      {isOpen && <RecoverDialog webhook={webhook} onClose={() => setOpen(false)} />}
    </>
  )
}

type FoundData = { deliveries: Parameters<typeof DeliveriesTable>[0]['deliveries']; total: number }

type FoundProps = { webhook: Webhook; query: UseQueryResult<FoundData>; isFiltered: boolean }

/** Deliveries stay visible while they are refetched, and if that fails. */
function Found({ webhook, query, isFiltered }: FoundProps) {
  const { search, turn } = useWebhookSearch()
  const { data, error, isPlaceholderData, refetch } = query
  if (data === undefined) {
    if (error === null) return <Skeleton lines={5} label="Loading deliveries" />
    return <ErrorState error={error} onRetry={() => void refetch()} what="The deliveries could not be loaded" />
  }
  const { skip: _, delivery: __, ...filter } = search
  return (
    <div className={clsx('transition-opacity', isPlaceholderData && 'opacity-60')} aria-busy={isPlaceholderData}>
      {error && <Callout kind="warning">The deliveries could not be refreshed. They may be out of date.</Callout>}
      <p role="status" className="sr-only">
        {isFiltered && !isPlaceholderData && `${formatCount(data.total, 'delivery', 'deliveries')} found.`}
      </p>
      {data.deliveries.length > 0 ? (
        <Choosable webhook={webhook} deliveries={data.deliveries} />
      ) : (
        <Nothing isFiltered={isFiltered} hasOthers={data.total > 0} />
      )}
      <Pager
        noun="deliveries"
        skip={search.skip ?? 0}
        limit={DELIVERIES_PER_PAGE}
        total={data.total}
        onTurn={(skip) => turn({ ...filter, ...(skip > 0 && { skip }) })}
      />
    </div>
  )
}

/** The page with checkboxes, and the button that resends the selected deliveries. */
function Choosable({ webhook, deliveries }: { webhook: Webhook; deliveries: FoundData['deliveries'] }) {
  const { chosen, count, isSending, send } = useChosen(webhook, deliveries)
  return (
    <>
      <DeliveriesTable deliveries={deliveries} chosen={chosen} />
      {count > 0 && (
        <div className="flex flex-wrap items-center gap-3 pt-3">
          <Button size="sm" busy={isSending} disabled={!webhook.enabled} onClick={send}>
            Resend {formatCount(count, 'delivery', 'deliveries')}
          </Button>
        </div>
      )}
    </>
  )
}

function Nothing({ isFiltered, hasOthers }: { isFiltered: boolean; hasOthers: boolean }) {
  const { turn } = useWebhookSearch()
  if (!isFiltered && !hasOthers) {
    return (
      <EmptyState icon={<Send aria-hidden="true" />} title="No deliveries yet">
        <p>Deliveries of new events appear here. Send a test event to check your endpoint.</p>
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={<SearchX aria-hidden="true" />}
      title={hasOthers ? 'This page is empty' : 'No deliveries match these filters'}
      action={<Button onClick={() => turn({})}>Show all deliveries</Button>}
    />
  )
}
