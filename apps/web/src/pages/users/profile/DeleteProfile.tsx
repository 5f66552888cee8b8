import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { ask } from '../../../session/ask.ts'
import { useSession } from '../../../session/session.ts'
import { leaveBehind } from '../../../session/sign-in.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { CurrentPasswordField, PASSWORD_RULES } from '../../../ui/CurrentPasswordField.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field, TextInput } from '../../../ui/Field.tsx'
import { FormSummary } from '../../../ui/FormSummary.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'

export function DeleteProfileCard() {
  const [isOpen, setOpen] = useState(false)
  return (
    <Card title="Delete profile">
      <div className="flex flex-col gap-4">
        <p className="max-w-prose text-soft">
          Your name, email address, password, sessions and memberships are deleted. Accounts remain, with their lists,
          credits and API keys, including keys that you created. The audit log of an account names you for a year.
        </p>
        <p className="max-w-prose text-soft">
          If you are the only owner of an account, make another member an owner or delete the account first.
        </p>
        <div>
          <Button look="danger" onClick={() => setOpen(true)}>
            Delete profile
          </Button>
        </div>
      </div>
      {isOpen && <DeleteProfileDialog onClose={() => setOpen(false)} />}
    </Card>
  )
}

/** Requires the address and the password, so that a profile is not deleted by mistake or at an unattended screen. */
export function DeleteProfileDialog({ onClose }: { onClose(): void }) {
  const { person } = useSession()
  const queryClient = useQueryClient()
  const form = useForm({ defaultValues: { email: '', password: '' }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ email, password }) => {
    await ask('/profile/deletion', { method: 'POST', body: { email: email.trim(), password } })
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
