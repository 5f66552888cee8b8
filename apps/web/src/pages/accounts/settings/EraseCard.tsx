import type { ErasureCounts } from '@probity/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { useScene } from '../../../session/scene.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field, TextInput } from '../../../ui/Field.tsx'
import { FormSummary } from '../../../ui/FormSummary.tsx'
import { formatCount } from '../../../ui/format.ts'
import { useSubmit } from '../../../ui/use-submit.ts'

/** Deletes everything that is stored about one address. */
export function EraseCard() {
  const [email, setEmail] = useState<string>()
  const [counts, setCounts] = useState<ErasureCounts>()
  const form = useForm({ defaultValues: { email: '' }, shouldFocusError: false })
  const submit = useSubmit(form, async (values) => {
    setCounts(undefined)
    setEmail(values.email.trim())
  })
  const finish = (erased: ErasureCounts) => {
    setEmail(undefined)
    setCounts(erased)
    form.reset()
  }
  return (
    <Card
      title="Erase address"
      about="Deletes all stored data about one address, for example after an erasure request under GDPR Article 17. Lists keep their counts, and credits do not change."
    >
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <Field label="Email address" error={form.formState.errors.email?.message}>
          {(ids) => (
            <TextInput
              {...ids}
              {...form.register('email', {
                validate: (text) => /[^\s@]@[^\s@]/.test(text) || 'Enter an email address.',
              })}
              inputMode="email"
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
            />
          )}
        </Field>
        <div>
          <Button type="submit" look="danger">
            Erase address
          </Button>
        </div>
      </form>
      {counts && <ErasedCallout counts={counts} />}
      {email !== undefined && <EraseDialog email={email} onClose={() => setEmail(undefined)} onErased={finish} />}
    </Card>
  )
}

type EraseDialogProps = { email: string; onClose(): void; onErased(counts: ErasureCounts): void }

function EraseDialog({ email, onClose, onErased }: EraseDialogProps) {
  const { probity, membership } = useScene()
  const queryClient = useQueryClient()
  const form = useForm({ shouldFocusError: false })
  const submit = useSubmit(form, async () => {
    const { counts } = await probity.erasures.create(email)
    await queryClient.invalidateQueries({ queryKey: [membership.account_id] })
    onErased(counts)
  })
  const { isSubmitting } = form.formState
  return (
    <Dialog
      open
      onClose={onClose}
      mayClose={() => !isSubmitting}
      title="Erase this address?"
      about={<span className="break-all">{email}</span>}
    >
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <FormSummary form={form} />
        <p>
          Validations, list results, stored file rows, unconfirmed uploads, overrides, feedback and webhook events for
          this address are deleted in live and test mode. This cannot be undone.
        </p>
        <p className="text-soft">
          The request fails if a list in progress contains the address. The audit log records the erasure without the
          address.
        </p>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose} disabled={isSubmitting}>
            Cancel
          </Button>
          <Button type="submit" look="danger" busy={isSubmitting}>
            Erase address
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const KINDS: [keyof ErasureCounts, string, string?][] = [
  ['validations', 'validation'],
  ['job_results', 'list result'],
  ['job_batches', 'batch', 'batches'],
  ['upload_rows', 'stored file row'],
  ['uploads', 'unconfirmed upload'],
  ['recent_results', 'recent result'],
  ['idempotency_records', 'stored response'],
  ['feedback', 'reported outcome'],
  ['overrides', 'override'],
  ['webhook_events', 'webhook event'],
]

function ErasedCallout({ counts }: { counts: ErasureCounts }) {
  const lines = KINDS.filter(([kind]) => counts[kind] > 0).map(([kind, ...words]) =>
    formatCount(counts[kind], ...words),
  )
  return (
    <div className="mt-4">
      <Callout kind="success" live>
        {lines.length === 0 ? 'No data was stored about this address.' : `Erased: ${lines.join(', ')}.`}
      </Callout>
    </div>
  )
}
