import { useForm } from 'react-hook-form'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { CurrentPasswordField, Field, PASSWORD_RULES, TextInput } from '../../../ui/Field.tsx'
import { FormSummary, useSubmit } from '../../../ui/Form.tsx'

type PasswordFormProps = {
  action: string
  danger?: boolean
  /** Also asks for a 2FA code. */
  needsCode?: boolean
  onClose(): void
  onPassword(password: string, code: string): Promise<void>
}

/** Asks for the password before an action that must not be possible at an unattended screen. */
export function PasswordDialog({ title, about, ...form }: PasswordFormProps & { title: string; about: string }) {
  return (
    <Dialog open onClose={form.onClose} title={title} about={about}>
      <PasswordForm {...form} />
    </Dialog>
  )
}

export function PasswordForm({ action, danger = false, needsCode = false, onClose, onPassword }: PasswordFormProps) {
  const form = useForm({ defaultValues: { password: '', code: '' }, shouldFocusError: false })
  const submit = useSubmit(form, ({ password, code }) => onPassword(password, code))
  const { errors, isSubmitting } = form.formState
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <FormSummary form={form} />
      <CurrentPasswordField
        input={form.register('password', PASSWORD_RULES)}
        error={errors.password?.message}
        autoFocus
      />
      {needsCode && (
        <Field label="2FA code" hint="From your authenticator app, or a recovery code." error={errors.code?.message}>
          {(ids) => (
            <TextInput
              {...ids}
              {...form.register('code', { required: 'Enter a code.' })}
              autoComplete="one-time-code"
              autoCapitalize="none"
              spellCheck={false}
              className="font-mono tracking-wider"
            />
          )}
        </Field>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look={danger ? 'danger' : 'primary'} busy={isSubmitting}>
          {action}
        </Button>
      </div>
    </form>
  )
}
