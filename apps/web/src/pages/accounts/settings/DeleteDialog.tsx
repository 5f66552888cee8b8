import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useForm } from 'react-hook-form'
import { ask } from '../../../session/ask.ts'
import { useScene } from '../../../session/scene.ts'
import { refreshSession } from '../../../session/sign-in.ts'
import { Button } from '../../../ui/Button.tsx'
import { CurrentPasswordField, PASSWORD_RULES } from '../../../ui/CurrentPasswordField.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field, TextInput } from '../../../ui/Field.tsx'
import { FormSummary } from '../../../ui/FormSummary.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'

type Values = { name: string; password: string }

/** Requires the account name and the password, so that an account is not deleted by mistake or at an unattended screen. */
export function DeleteDialog({ name, onClose }: { name: string; onClose(): void }) {
  const form = useForm<Values>({ defaultValues: { name: '', password: '' }, shouldFocusError: false })
  const submit = useSubmit(form, useDelete(name))
  const { errors, isSubmitting } = form.formState
  return (
    <Dialog open onClose={onClose} title={`Delete ${name}?`} about="This cannot be undone.">
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <FormSummary form={form} />
        <Field label="Account name" hint={`Type ${name}.`} error={errors.name?.message}>
          {(ids) => (
            <TextInput
              {...ids}
              {...form.register('name', {
                validate: (typed) => typed.trim() === name.trim() || 'This is not the name of the account.',
              })}
              autoComplete="off"
              spellCheck={false}
            />
          )}
        </Field>
        <CurrentPasswordField input={form.register('password', PASSWORD_RULES)} error={errors.password?.message} />
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" busy={isSubmitting}>
            Delete account
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function useDelete(name: string) {
  const { account_id: accountId } = useScene().membership
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const toasts = useToasts()
  return async (body: Values) => {
    await ask('/deletion', { method: 'POST', body, headers: { 'probity-account': accountId } })
    toasts.done(`Account ${name} deleted.`)
    // Leave the pages of the account first: their next requests would fail.
    await navigate({ to: '/settings/profile', search: { org: undefined, mode: undefined } })
    await refreshSession(queryClient)
  }
}
