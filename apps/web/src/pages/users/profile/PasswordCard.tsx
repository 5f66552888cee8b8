import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { ask } from '../../../session/ask.ts'
import { useSession } from '../../../session/session.ts'
import { Card } from '../../../ui/Card.tsx'
import { Field } from '../../../ui/Field.tsx'
import { FormSummary } from '../../../ui/FormSummary.tsx'
import { PasswordInput } from '../../../ui/PasswordInput.tsx'
import { SaveLine } from '../../../ui/SaveLine.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import { NEW_PASSWORD_RULES, NewPasswordField } from '../sign-in/NewPasswordField.tsx'
import { SESSIONS_KEY } from './sessions-query.ts'

export function PasswordCard() {
  const { person } = useSession()
  const queryClient = useQueryClient()
  const [isSaved, setSaved] = useState(false)
  const form = useForm({ defaultValues: { current: '', password: '' }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ current, password }) => {
    const body = { currentPassword: current, newPassword: password }
    await ask('/auth/change-password', { method: 'POST', body })
    form.reset()
    setSaved(true)
    await queryClient.invalidateQueries({ queryKey: SESSIONS_KEY })
  })
  const { errors, isDirty, isSubmitting } = form.formState
  return (
    <Card title="Password" about="Changing the password ends all other sessions.">
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <FormSummary form={form} />
        {/* Tells password managers which user the password belongs to. */}
        <input type="email" autoComplete="username" value={person.email} readOnly hidden />
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <Field label="Current password" error={errors.current?.message}>
            {(ids) => (
              <PasswordInput
                {...ids}
                {...form.register('current', { required: 'Enter your current password.' })}
                autoComplete="current-password"
              />
            )}
          </Field>
          <NewPasswordField
            label="New password"
            input={form.register('password', NEW_PASSWORD_RULES)}
            value={form.watch('password')}
            error={errors.password?.message}
          />
        </div>
        <SaveLine isDirty={isDirty} isBusy={isSubmitting} isSaved={isSaved} label="Change password" />
      </form>
    </Card>
  )
}
