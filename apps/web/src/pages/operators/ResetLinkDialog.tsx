import type { PasswordReset } from '@probity/contract/schemas/operators'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { ask } from '../../session/ask.ts'
import { useWelcome } from '../../session/session.ts'
import { Button } from '../../ui/Button.tsx'
import { CurrentPasswordField, PASSWORD_RULES } from '../../ui/CurrentPasswordField.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field, TextInput } from '../../ui/Field.tsx'
import { FormSummary } from '../../ui/FormSummary.tsx'
import { formatDateTime } from '../../ui/format.ts'
import { useSubmit } from '../../ui/use-submit.ts'
import { EMAIL_RULES } from '../users/sign-in/EmailField.tsx'
import { SecretLink } from '../users/sign-in/SecretLink.tsx'
import { useWithRecentCode } from './RecentCode.tsx'

type CreatedLink = PasswordReset & { email: string }

/** Creates a password reset link for a user, where no SMTP relay sends one. */
export function ResetLinkDialog({ onClose }: { onClose(): void }) {
  const [created, setCreated] = useState<CreatedLink>()
  return (
    <Dialog
      open
      onClose={onClose}
      title={created ? 'Password reset link created' : 'Create password reset link'}
      about={
        created
          ? undefined
          : 'Send the link to the user yourself. It is recorded in the audit logs of the installation and of the user’s accounts.'
      }
    >
      {created ? (
        <Created created={created} onClose={onClose} />
      ) : (
        <CreateForm onCreated={setCreated} onClose={onClose} />
      )}
    </Dialog>
  )
}

function CreateForm({ onCreated, onClose }: { onCreated(created: CreatedLink): void; onClose(): void }) {
  const withRecentCode = useWithRecentCode()
  const form = useForm({ defaultValues: { email: '', password: '' }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ email, password }) => {
    const body = { email: email.trim(), password }
    const reset = await withRecentCode(() => ask<PasswordReset>('/operator/password-resets', { method: 'POST', body }))
    onCreated({ ...reset, email: body.email })
  })
  const { errors, isSubmitting } = form.formState
  const rules = { ...EMAIL_RULES, required: 'Enter the user’s email address.' }
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <FormSummary form={form} />
      <Field label="User’s email address" error={errors.email?.message}>
        {(ids) => (
          <TextInput
            {...ids}
            {...form.register('email', rules)}
            type="email"
            inputMode="email"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        )}
      </Field>
      <CurrentPasswordField input={form.register('password', PASSWORD_RULES)} error={errors.password?.message} />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={isSubmitting}>
          Create link
        </Button>
      </div>
    </form>
  )
}

function Created({ created: { email, token, expires_at }, onClose }: { created: CreatedLink; onClose(): void }) {
  const base = useWelcome()?.public_url ?? window.location.origin
  const link = `${base.replace(/\/$/, '')}/app/reset-password#token=${token}`
  return (
    <div className="flex flex-col gap-4">
      <p role="status" className="text-soft">
        Send this link to {email}. It works once, until {formatDateTime(expires_at)}. It is not shown again.
      </p>
      <SecretLink link={link} label="Password reset link" />
      <div className="flex justify-end">
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  )
}
