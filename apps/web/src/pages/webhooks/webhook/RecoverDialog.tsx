import type { Webhook } from '@probity/sdk'
import { useEffect } from 'react'
import { useForm } from 'react-hook-form'
import { useScene } from '../../../session/scene.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field, TextInput } from '../../../ui/Field.tsx'
import { FormSummary } from '../../../ui/FormSummary.tsx'
import { formatCount } from '../../../ui/format.ts'
import { useToasts } from '../../../ui/Toasts.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import { useRefreshWebhooks } from '../overview/queries.ts'

/** Ten attempts take more than three days: an event whose delivery failed now is older than that. */
const SINCE_DAYS = 7
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** Resends all deliveries that failed since a time. */
export function RecoverDialog({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
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
