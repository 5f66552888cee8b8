import type { CreateWebhookOptions, Webhook, WebhookWithSecret } from '@probity/sdk'
import { useEffect } from 'react'
import { type UseFormReturn, useForm } from 'react-hook-form'
import { useScene } from '../../session/workspace.ts'
import { Button } from '../../ui/Button.tsx'
import { Checkbox, Field, Radio, TextInput } from '../../ui/Field.tsx'
import { FormSummary, useSubmit } from '../../ui/Form.tsx'
import { SecretField } from '../../ui/Secret.tsx'
import { ALL_EVENTS, EVENT_GROUPS, EVENT_TYPES, EVENT_WORDS, isForAll } from './webhooks.ts'

const URL_MAX = 2_048
const DESCRIPTION_MAX = 200

type WebhookValues = { url: string; description: string; which: 'all' | 'some'; events: string[] }
type WebhookSettings = Required<Pick<CreateWebhookOptions, 'url' | 'description' | 'events'>>

const URL_RULES = {
  validate: (url: string) => /^https:\/\/[^/]/.test(url.trim()) || 'Enter a URL that starts with https://.',
}

type WebhookFormProps = {
  /** The existing webhook; undefined for a new one. */
  of?: Webhook
  word: string
  onSend(settings: WebhookSettings): Promise<unknown>
  onCancel(): void
}

/** URL, description and events of a webhook. */
export function WebhookForm({ of: webhook, word, onSend, onCancel }: WebhookFormProps) {
  const { mode } = useScene()
  const form = useForm<WebhookValues>({ defaultValues: valuesOf(webhook), shouldFocusError: false })
  useEffect(() => form.setFocus('url'), [form])
  const submit = useSubmit(form, (values) => onSend(settingsOf(values)))
  const { errors, isSubmitting } = form.formState
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      <FormSummary form={form} />
      <Field
        label="URL"
        hint="A public HTTPS endpoint on port 443. Events are sent as POST requests."
        error={errors.url?.message}
      >
        {(ids) => (
          <TextInput
            {...ids}
            {...form.register('url', URL_RULES)}
            type="url"
            autoComplete="off"
            placeholder="https://hooks.example.com/probity"
            maxLength={URL_MAX}
          />
        )}
      </Field>
      <Field label="Description" optional hint="Purpose of the webhook." error={errors.description?.message}>
        {(ids) => (
          <TextInput {...ids} {...form.register('description')} autoComplete="off" maxLength={DESCRIPTION_MAX} />
        )}
      </Field>
      <EventFields
        form={form}
        others={webhook?.events.filter((type) => type !== ALL_EVENTS && !EVENT_TYPES.includes(type)) ?? []}
      />
      {mode === 'test' && <p className="text-soft">Test mode webhooks receive test mode events only.</p>}
      <div className="flex flex-wrap justify-end gap-2 border-t border-line pt-4">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="primary" busy={isSubmitting}>
          {word}
        </Button>
      </div>
    </form>
  )
}

function valuesOf(webhook: Webhook | undefined): WebhookValues {
  const { url = '', description = '', events = [ALL_EVENTS] } = webhook ?? {}
  const isAll = isForAll(events)
  return { url, description, which: isAll ? 'all' : 'some', events: isAll ? [] : [...events] }
}

function settingsOf({ url, description, which, events }: WebhookValues): WebhookSettings {
  const chosen = which === 'all' ? [ALL_EVENTS] : events
  return { url: url.trim(), description: description.trim(), events: chosen as WebhookSettings['events'] }
}

/** `others`: event types of the webhook that this version of the page does not know, and that saving must keep. */
function EventFields({ form, others }: { form: UseFormReturn<WebhookValues>; others: string[] }) {
  const which = form.watch('which')
  const fault = form.formState.errors.events?.message
  const register = () => form.register('events', { validate: hasEvent })
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1.5 font-medium">Events</legend>
      <Radio {...form.register('which')} value="all" label="All events" hint="Includes event types added later." />
      <Radio {...form.register('which')} value="some" label="Selected events" />
      {which === 'some' && (
        <div className="mt-1 flex flex-col gap-4 rounded-md border border-line bg-sunken p-3">
          {EVENT_GROUPS.map((title) => (
            <fieldset key={title}>
              <legend className="mb-1.5 text-[0.8125rem] text-soft">{title}</legend>
              <div className="grid gap-x-4 gap-y-2 sm:grid-cols-2">
                {Object.entries(EVENT_WORDS).map(
                  ([type, { group, about }]) =>
                    group === title && (
                      <Checkbox key={type} {...register()} value={type} label={<code>{type}</code>} hint={about} />
                    ),
                )}
              </div>
            </fieldset>
          ))}
          {others.map((type) => (
            <Checkbox key={type} {...register()} value={type} label={<code>{type}</code>} />
          ))}
        </div>
      )}
      {fault && <p className="text-[0.8125rem] text-invalid">{fault}</p>}
    </fieldset>
  )
}

function hasEvent(events: string[], { which }: WebhookValues): true | string {
  return which === 'all' || events.length > 0 || 'Choose at least one event.'
}

/** The signing secret. Kept only in the state of the component that shows it. */
export function WebhookSecret({ made, onSaved }: { made: WebhookWithSecret; onSaved(): void }) {
  return (
    <div className="flex flex-col gap-3">
      <SecretField label={`Signing secret for ${made.url}`} noun="secret" value={made.secret} onSaved={onSaved} />
      <p className="text-soft">
        Every request is signed as defined by Standard Webhooks. Verify the signature before you parse the body.
      </p>
    </div>
  )
}

export const SECRET_ABOUT = 'Save the signing secret now. It is shown only once. If you lose it, rotate it.'
