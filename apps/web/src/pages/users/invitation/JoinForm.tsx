import { useForm } from 'react-hook-form'
import { ask } from '../../../session/ask.ts'
import { Button } from '../../../ui/Button.tsx'
import { FormSummary } from '../../../ui/FormSummary.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import { EmailField } from '../sign-in/EmailField.tsx'
import { NameField, PERSON_NAME_RULES } from '../sign-in/NameField.tsx'
import { NEW_PASSWORD_RULES, NewPasswordField } from '../sign-in/NewPasswordField.tsx'

type JoinProps = { id: string; token: string; email: string; onJoined(): unknown }

/** Creates the invited user and signs in, where the invitation link verifies the address. */
export function JoinForm({ id, token, email, onJoined }: JoinProps) {
  const form = useForm({ defaultValues: { name: '', email, password: '' }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ name, password }) => {
    const body = { token, name: name.trim(), password }
    await ask(`/invitations/${encodeURIComponent(id)}/join`, { method: 'POST', body })
    await onJoined()
  })
  const { errors, isSubmitting } = form.formState
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <p className="text-soft">Enter your name and choose a password to accept the invitation.</p>
      <FormSummary form={form} />
      <NameField input={form.register('name', PERSON_NAME_RULES)} error={errors.name?.message} />
      <EmailField input={form.register('email')} error={undefined} fixed />
      <NewPasswordField
        input={form.register('password', NEW_PASSWORD_RULES)}
        value={form.watch('password')}
        error={errors.password?.message}
      />
      <Button type="submit" look="primary" size="lg" busy={isSubmitting}>
        Accept invitation
      </Button>
    </form>
  )
}
