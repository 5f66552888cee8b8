import type { Webhook } from '@probity/sdk'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { History, SearchX, Send } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { useScene } from '../../../session/workspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field, SelectInput, TextInput } from '../../../ui/Field.tsx'
import { FormSummary, useSubmit } from '../../../ui/Form.tsx'
import { formatCount } from '../../../ui/format.ts'
import { EmptyState, PageFrame } from '../../../ui/States.tsx'
import { Pager } from '../../../ui/Table.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { isDeliveryStatus, STATUS_WORDS, type WebhookSearch } from '../search.ts'
import { DELIVERIES_PER_PAGE, deliveriesQuery, EVENT_TYPES, useRefreshWebhooks } from '../webhooks.ts'
import { DeliveriesTable, useChosen } from './DeliveriesTable.tsx'
import { DeliveryDrawer } from './DeliveryDrawer.tsx'
import { useWebhookSearch } from './use-webhook.ts'

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
  const { data, error, isPlaceholderData } = query
  if (data === undefined)
    return (
      <PageFrame query={query} failed="The deliveries could not be loaded" loading="Loading deliveries" lines={5} />
    )
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

/** The filters are part of the URL; a change starts at the first page. */
function DeliveryFilters() {
  const { search, turn } = useWebhookSearch()
  const { status = '', type = '' } = search
  const narrow = (chosen: { status: string; type: string }) => turn(filterOf(chosen), { replace: true })
  return (
    <search className="mb-3 flex flex-wrap gap-2">
      <SelectInput
        aria-label="Status"
        value={status}
        onChange={({ target }) => narrow({ status: target.value, type })}
        className="w-auto! flex-1 sm:flex-none"
      >
        <option value="">All statuses</option>
        {Object.entries(STATUS_WORDS).map(([value, word]) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </SelectInput>
      <SelectInput
        aria-label="Event"
        value={type}
        onChange={({ target }) => narrow({ status, type: target.value })}
        className="w-auto! flex-1 sm:flex-none"
      >
        <option value="">All events</option>
        {[...new Set([...EVENT_TYPES, ...(type ? [type] : [])])].map((value) => (
          <option key={value} value={value}>
            {value}
          </option>
        ))}
      </SelectInput>
    </search>
  )
}

function filterOf({ status, type }: { status: string; type: string }): WebhookSearch {
  return { ...(isDeliveryStatus(status) && { status }), ...(type && { type }) }
}

/** Ten attempts take more than three days: an event whose delivery failed now is older than that. */
const SINCE_DAYS = 7
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** Resends all deliveries that failed since a time. */
function RecoverDialog({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const { probity } = useScene()
  const tell = useToasts()
  const refresh = useRefreshWebhooks()
  const form = useForm({
    defaultValues: { since: toLocal(Date.now() - SINCE_DAYS * DAY_MS) },
    shouldFocusError: false,
  })
  useEffect(() => form.setFocus('since'), [form])
  const submit = useSubmit(form, async ({ since }) => {
    const { count } = await probity.webhooks.deliveries.recover(webhook.id, { sinceAt: new Date(since) })
    await refresh()
    tell.done(count === 0 ? 'No failed deliveries since then.' : outcome(count))
    onClose()
  })
  const { errors, isSubmitting } = form.formState
  return (
    <Dialog
      open
      onClose={onClose}
      title="Resend failed deliveries"
      about="Failed deliveries are sent again with the same webhook-id header, so that your endpoint can detect duplicates."
    >
      <form noValidate onSubmit={submit} className="flex flex-col gap-5">
        <FormSummary form={form} />
        <Field
          label="Events since"
          hint="In the time zone of this browser. Expired events cannot be resent."
          error={errors.since?.message}
        >
          {(ids) => (
            <TextInput
              {...ids}
              {...form.register('since', { validate: isTimePast })}
              type="datetime-local"
              className="max-w-64"
            />
          )}
        </Field>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={isSubmitting}>
            Resend deliveries
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function outcome(count: number): string {
  return `${formatCount(count, 'delivery', 'deliveries')} resent.`
}

function isTimePast(since: string): true | string {
  return Date.parse(since) <= Date.now() || 'Choose a date and time in the past.'
}

/** The format of a `datetime-local` field: local time, to the minute. */
function toLocal(time: number): string {
  const offsetMs = new Date(time).getTimezoneOffset() * MINUTE_MS
  return new Date(time - offsetMs).toISOString().slice(0, 16)
}
