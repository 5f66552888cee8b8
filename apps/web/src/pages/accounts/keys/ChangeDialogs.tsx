import { useEffect } from 'react'
import { useForm } from 'react-hook-form'
import { useScene } from '../../../session/scene.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field, TextInput } from '../../../ui/Field.tsx'
import { FormSummary } from '../../../ui/FormSummary.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import { NAME_RULES } from './KeyForm.tsx'
import { expiryWord, limitsOf, pointingAtFields, readLimits } from './key-form.ts'
import type { Key } from './keys-query.ts'
import { LimitFields } from './LimitFields.tsx'

type ChangeProps = { of: Key; onDone(said: string): void; onClose(): void }

export function RenameDialog({ of: key, onDone, onClose }: ChangeProps) {
  const { probity } = useScene()
  const form = useForm({ defaultValues: { name: key.name }, shouldFocusError: false })
  useEffect(() => form.setFocus('name', { shouldSelect: true }), [form])
  const submit = useSubmit(form, async ({ name }) => {
    await probity.keys.update(key.id, { name: name.trim() })
    onDone(`Key renamed to ${name.trim()}.`)
  })
  const { errors, isSubmitting } = form.formState
  return (
    <Dialog open onClose={onClose} title="Rename key">
      <form noValidate onSubmit={submit} className="flex flex-col gap-5">
        <FormSummary form={form} />
        <Field label="Name" error={errors.name?.message}>
          {(ids) => <TextInput {...ids} {...form.register('name', NAME_RULES)} autoComplete="off" maxLength={100} />}
        </Field>
        <Buttons onClose={onClose} busy={isSubmitting} word="Rename key" />
      </form>
    </Dialog>
  )
}

export function LimitsDialog({ of: key, onDone, onClose }: ChangeProps) {
  const { probity } = useScene()
  const form = useForm({ defaultValues: limitsOf(key), shouldFocusError: false })
  useEffect(() => form.setFocus(key.type === 'secret' ? 'expiry' : 'allowed_origins'), [form, key.type])
  const submit = useSubmit(form, async (values) => {
    await pointingAtFields(probity.keys.update(key.id, readLimits(values, key.type)))
    onDone(`Limits of ${key.name} changed.`)
  })
  return (
    <Dialog open onClose={onClose} title={`Limits of ${key.name}`} about="Changes take effect within a second.">
      <form noValidate onSubmit={submit} className="flex flex-col gap-5">
        <FormSummary form={form} />
        <LimitFields form={form} type={key.type} now={expiryWord(key)} />
        <Buttons onClose={onClose} busy={form.formState.isSubmitting} word="Save limits" />
      </form>
    </Dialog>
  )
}

function Buttons({ onClose, busy, word }: { onClose(): void; busy: boolean; word: string }) {
  return (
    <div className="flex flex-wrap justify-end gap-2">
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" look="primary" busy={busy}>
        {word}
      </Button>
    </div>
  )
}
