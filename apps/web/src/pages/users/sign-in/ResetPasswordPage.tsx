import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { ask } from '../../../session/ask.ts'
import { useSecretInAddress } from '../../../session/secret-in-address.ts'
import { OpenPage } from '../../../shell/OpenPage.tsx'
import { Button, buttonClass } from '../../../ui/Button.tsx'
import { FormSummary } from '../../../ui/FormSummary.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import { BrokenLink } from './BrokenLink.tsx'
import { NEW_PASSWORD_RULES, NewPasswordField } from './NewPasswordField.tsx'

export function ResetPasswordPage() {
  const token = useSecretInAddress('token')
  const [isDone, setDone] = useState(false)
  if (isDone) return <Done />
  if (token === undefined) return <BrokenLink />
  return (
    <OpenPage
      title="Choose a new password"
      about="This ends your sessions on all devices."
      footer={
        <Link to="/forgot-password" className="text-accent-text underline underline-offset-2">
          Request new link
        </Link>
      }
    >
      <NewPasswordForm token={token} onDone={() => setDone(true)} />
    </OpenPage>
  )
}

function NewPasswordForm({ token, onDone }: { token: string; onDone(): void }) {
  const form = useForm({ defaultValues: { password: '' }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ password }) => {
    await ask('/auth/reset-password', { method: 'POST', body: { newPassword: password, token } })
    onDone()
  })
  const { errors, isSubmitting } = form.formState
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <FormSummary form={form} />
      <NewPasswordField
        label="New password"
        input={form.register('password', NEW_PASSWORD_RULES)}
        value={form.watch('password')}
        error={errors.password?.message}
      />
      <Button type="submit" look="primary" size="lg" busy={isSubmitting}>
        Set password
      </Button>
    </form>
  )
}

function Done() {
  return (
    <OpenPage title="Password changed" about="Sign in with the new password.">
      <Link to="/sign-in" className={buttonClass('primary', 'lg', 'w-full')}>
        Sign in
      </Link>
    </OpenPage>
  )
}
