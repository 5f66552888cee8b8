import { useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { callApi } from '../../../session/client.ts'
import { leaveBehind, useSession } from '../../../session/session.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { CurrentPasswordField, Field, PASSWORD_RULES, TextInput } from '../../../ui/Field.tsx'
import { FormSummary, useSubmit } from '../../../ui/Form.tsx'

/** Requires the address and the password, so that a profile is not deleted by mistake or at an unattended screen. */
export function DeleteProfileDialog({ onClose }: { onClose(): void }) {
  const { person } = useSession()
  const queryClient = useQueryClient()
  const form = useForm({ defaultValues: { email: '', password: '' }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ email, password }) => {
    await callApi('/profile/deletion', { method: 'POST', body: { email: email.trim(), password } })
    leaveBehind(queryClient, '/app/sign-in')
  })
  const { errors, isSubmitting } = form.formState
  const isOwn = (typed: string) => typed.trim().toLowerCase() === person.email || 'This is not your email address.'
  return (
    <Dialog open onClose={onClose} title="Delete your profile?" about="This cannot be undone.">
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <FormSummary form={form} />
        <Field label="Your email address" hint={`Type ${person.email}.`} error={errors.email?.message}>
          {(ids) => (
            <TextInput
              {...ids}
              {...form.register('email', { validate: isOwn })}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
          )}
        </Field>
        <CurrentPasswordField input={form.register('password', PASSWORD_RULES)} error={errors.password?.message} />
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" busy={isSubmitting}>
            Delete profile
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
