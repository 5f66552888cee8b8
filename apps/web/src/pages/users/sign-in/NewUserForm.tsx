import type { ReactNode } from 'react'
import { useForm } from 'react-hook-form'
import { Button } from '../../../ui/Button.tsx'
import { FormSummary, useSubmit } from '../../../ui/Form.tsx'
import {
  ACCOUNT_NAME_RULES,
  EMAIL_RULES,
  EmailField,
  NameField,
  NEW_PASSWORD_RULES,
  NewPasswordField,
  USER_NAME_RULES,
} from './fields.tsx'

/** What the user typed, without surrounding spaces. */
export type NewUser = { name: string; email: string; password: string; organisation: string }

type NewUserFormProps = {
  /** The label of the button. */
  action: string
  /** The address that was invited. It cannot be changed. */
  invited?: string | undefined
  /** Whether to ask for the name of an account, too. */
  withAccount?: boolean
  onSubmit(user: NewUser): Promise<unknown>
  children?: ReactNode
}

/** Name, address and password of a new user: for sign-up, set-up and invitations. */
export function NewUserForm({ action, invited, withAccount = false, onSubmit, children }: NewUserFormProps) {
  const form = useForm({
    defaultValues: { name: '', email: invited ?? '', password: '', organisation: '' },
    shouldFocusError: false,
  })
  const submit = useSubmit(form, ({ name, email, password, organisation }) =>
    onSubmit({ name: name.trim(), email: email.trim(), password, organisation: organisation.trim() }),
  )
  const { errors, isSubmitting } = form.formState
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      {children}
      <FormSummary form={form} />
      <NameField input={form.register('name', USER_NAME_RULES)} error={errors.name?.message} />
      <EmailField
        input={form.register('email', EMAIL_RULES)}
        error={errors.email?.message}
        fixed={invited !== undefined}
      />
      <NewPasswordField
        input={form.register('password', NEW_PASSWORD_RULES)}
        value={form.watch('password')}
        error={errors.password?.message}
      />
      {withAccount && (
        <NameField
          label="Account name"
          hint="The company or team that owns the lists and keys."
          autoComplete="organization"
          input={form.register('organisation', ACCOUNT_NAME_RULES)}
          error={errors.organisation?.message}
        />
      )}
      <Button type="submit" look="primary" size="lg" busy={isSubmitting}>
        {action}
      </Button>
    </form>
  )
}
