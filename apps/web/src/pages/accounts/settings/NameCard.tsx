import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { useScene } from '../../../session/scene.ts'
import { Card } from '../../../ui/Card.tsx'
import { FormSummary } from '../../../ui/FormSummary.tsx'
import { SaveLine } from '../../../ui/SaveLine.tsx'
import { UnsavedGuard } from '../../../ui/UnsavedGuard.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import { ACCOUNT_NAME_RULES, NameField } from '../../users/sign-in/NameField.tsx'
import { useChangeAccount } from './change-account.ts'

export function NameCard({ mayChange }: { mayChange: boolean }) {
  const { membership } = useScene()
  const change = useChangeAccount()
  const [isSaved, setSaved] = useState(false)
  const form = useForm({ values: { name: membership.name }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ name }) => {
    await change({ name: name.trim() })
    form.reset({ name: name.trim() })
    setSaved(true)
  })
  const { errors, isDirty, isSubmitting } = form.formState
  return (
    <Card title="Name">
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <UnsavedGuard isDirty={isDirty} />
        <FormSummary form={form} />
        <NameField
          label="Account name"
          hint="Visible to members and invited users."
          autoComplete="off"
          readOnly={!mayChange}
          input={form.register('name', ACCOUNT_NAME_RULES)}
          error={errors.name?.message}
        />
        {mayChange && <SaveLine isDirty={isDirty} isBusy={isSubmitting} isSaved={isSaved} />}
      </form>
    </Card>
  )
}
