import { useForm } from 'react-hook-form'
import { signUp } from '../../../session/sign-in.ts'
import { Button } from '../../../ui/Button.tsx'
import { FormSummary } from '../../../ui/FormSummary.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import { EMAIL_RULES, EmailField } from './EmailField.tsx'
import { NameField, PERSON_NAME_RULES } from './NameField.tsx'
import { NEW_PASSWORD_RULES, NewPasswordField } from './NewPasswordField.tsx'

type SignUpProps = {
  invitation?: { id: string; email: string }
  onSent(email: string): void
}

export function SignUpForm({ invitation, onSent }: SignUpProps) {
  const form = useForm({
    defaultValues: { name: '', email: invitation?.email ?? '', password: '' },
    shouldFocusError: false,
  })
  const submit = useSubmit(form, async (values) => {
    await signUp(values, invitation?.id)
    onSent(values.email.trim())
  })
  const { errors, isSubmitting } = form.formState
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <FormSummary form={form} />
      <NameField input={form.register('name', PERSON_NAME_RULES)} error={errors.name?.message} />
      <EmailField
        input={form.register('email', EMAIL_RULES)}
        error={errors.email?.message}
        fixed={invitation !== undefined}
      />
      <NewPasswordField
        input={form.register('password', NEW_PASSWORD_RULES)}
        value={form.watch('password')}
        error={errors.password?.message}
      />
      <Button type="submit" look="primary" size="lg" busy={isSubmitting}>
        Sign up
      </Button>
    </form>
  )
}
