import { Link } from '@tanstack/react-router'
import { useForm } from 'react-hook-form'
import { Button } from '../../../ui/Button.tsx'
import { Field } from '../../../ui/Field.tsx'
import { FormSummary } from '../../../ui/FormSummary.tsx'
import { PasswordInput } from '../../../ui/PasswordInput.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'

/** Confirms an address with the password. Mail scanners open links too, so opening the link alone must not confirm it. */
export function ConfirmAddressForm({ onPassword }: { onPassword(password: string): Promise<unknown> }) {
  const form = useForm({ defaultValues: { password: '' }, shouldFocusError: false })
  const submit = useSubmit(form, ({ password }) => onPassword(password))
  const { errors, isSubmitting } = form.formState
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <FormSummary form={form} />
      <Field label="Password" error={errors.password?.message}>
        {(ids) => (
          <PasswordInput
            {...ids}
            {...form.register('password', { required: 'Enter your password.' })}
            autoComplete="current-password"
          />
        )}
      </Field>
      <Button type="submit" look="primary" size="lg" busy={isSubmitting}>
        Confirm email address
      </Button>
      <Link to="/forgot-password" className="self-center text-accent-text underline underline-offset-2">
        Forgot your password?
      </Link>
    </form>
  )
}
