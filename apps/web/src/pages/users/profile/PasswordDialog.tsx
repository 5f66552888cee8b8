import { useForm } from 'react-hook-form'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { CurrentPasswordField, PASSWORD_RULES } from '../../../ui/Field.tsx'
import { FormSummary, useSubmit } from '../../../ui/Form.tsx'

type PasswordFormProps = {
  action: string
  danger?: boolean
  onClose(): void
  onPassword(password: string): Promise<void>
}

/** Asks for the password before an action that must not be possible at an unattended screen. */
export function PasswordDialog({ title, about, ...form }: PasswordFormProps & { title: string; about: string }) {
  return (
    <Dialog open onClose={form.onClose} title={title} about={about}>
      <PasswordForm {...form} />
    </Dialog>
  )
}

export function PasswordForm({ action, danger = false, onClose, onPassword }: PasswordFormProps) {
  const form = useForm({ defaultValues: { password: '' }, shouldFocusError: false })
  const submit = useSubmit(form, ({ password }) => onPassword(password))
  const { errors, isSubmitting } = form.formState
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <FormSummary form={form} />
      <CurrentPasswordField
        input={form.register('password', PASSWORD_RULES)}
        error={errors.password?.message}
        autoFocus
      />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look={danger ? 'danger' : 'primary'} busy={isSubmitting}>
          {action}
        </Button>
      </div>
    </form>
  )
}
