import { OVERRIDES_AT_ONCE_MAX } from '@probity/contract/constants/policies'
import { useForm } from 'react-hook-form'
import { RequestFailed } from '../../../session/ask.ts'
import { asRequestFailed } from '../../../session/probity.ts'
import { useScene } from '../../../session/scene.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field, TextArea, TextInput } from '../../../ui/Field.tsx'
import { FormSummary } from '../../../ui/FormSummary.tsx'
import { formatCount } from '../../../ui/format.ts'
import { Segments } from '../../../ui/Segments.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import { useRefreshOverrides } from './overrides-query.ts'

const CHOICES = [
  { value: 'block', label: 'Block' },
  { value: 'allow', label: 'Allow' },
] as const

type Values = { action: 'allow' | 'block'; targets: string; note: string }

/** Allows or blocks one or many targets. */
export function AddOverridesDialog({ onClose }: { onClose(): void }) {
  const add = useAdd(onClose)
  const form = useForm<Values>({ defaultValues: { action: 'block', targets: '', note: '' }, shouldFocusError: false })
  const submit = useSubmit(form, add)
  const { errors, isSubmitting, isDirty } = form.formState
  return (
    <Dialog
      open
      onClose={onClose}
      mayClose={() => !isDirty || !isSubmitting}
      title="Add entries"
      about="Takes effect with the next request. Stored list results do not change."
    >
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <FormSummary form={form} />
        <div>
          <Segments
            label="List"
            value={form.watch('action')}
            choices={CHOICES}
            onChange={(action) => form.setValue('action', action)}
          />
        </div>
        <Field
          label="Addresses and domains"
          hint="One per line. A domain covers all its addresses, but not its subdomains."
          error={errors.targets?.message}
        >
          {(ids) => (
            <TextArea
              {...ids}
              {...form.register('targets', { validate: (text) => linesOf(text).length > 0 || NOTHING })}
              spellCheck={false}
              autoComplete="off"
              autoCapitalize="off"
              rows={6}
              className="font-mono text-[0.8125rem]"
            />
          )}
        </Field>
        <Field
          label="Note"
          optional
          hint="Reason for the entries, visible to other members."
          error={errors.note?.message}
        >
          {(ids) => <TextInput {...ids} {...form.register('note')} maxLength={200} autoComplete="off" />}
        </Field>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={isSubmitting}>
            Add entries
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const NOTHING = 'Enter at least one address or domain.'

function linesOf(text: string): string[] {
  return text
    .split(/[\n,;]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function useAdd(onDone: () => void) {
  const { probity } = useScene()
  const toasts = useToasts()
  const refresh = useRefreshOverrides()
  return async ({ action, targets, note }: Values) => {
    const lines = linesOf(targets)
    let added = 0
    for (let from = 0; from < lines.length; from += OVERRIDES_AT_ONCE_MAX) {
      const some = lines.slice(from, from + OVERRIDES_AT_ONCE_MAX)
      const options = { action, targets: some, note: note.trim() || undefined }
      const result = await probity.overrides.create(options).catch((error: unknown) => {
        void refresh()
        throw nameLines(error, lines, from)
      })
      added += result.added + result.moved
    }
    await refresh()
    toasts.done(`${formatCount(added, 'entry', 'entries')} ${action === 'allow' ? 'allowed' : 'blocked'}.`)
    onDone()
  }
}

/** The API points at array positions; the form has one field, so the error quotes the lines. */
function nameLines(error: unknown, lines: string[], from: number): RequestFailed {
  const failed = asRequestFailed(error)
  const wrong = failed.fields.flatMap(({ pointer }) => {
    const place = /^\/targets\/(\d+)/.exec(pointer)?.[1]
    return place === undefined ? [] : [`“${lines[from + Number(place)] ?? ''}”`]
  })
  if (wrong.length === 0) return failed
  const { status, code, message } = failed
  const before = from > 0 ? ` The first ${formatCount(from, 'line')} were added.` : ''
  const detail = `Not an address or a domain: ${wrong.slice(0, 5).join(', ')}.${before}`
  return new RequestFailed({ status, code, message, fields: [{ pointer: '/targets', detail }] })
}
