import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { callApi } from '../../../session/client.ts'
import { useSecretInAddress, welcomeQuery } from '../../../session/session.ts'
import { OpenPage } from '../../../shell/OpenPage.tsx'
import { Button, buttonClass } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { FormSummary, useSubmit } from '../../../ui/Form.tsx'
import { Skeleton } from '../../../ui/States.tsx'
import { BrokenLink } from './CheckYourEmail.tsx'
import { EMAIL_RULES, EmailField, NEW_PASSWORD_RULES, NewPasswordField } from './fields.tsx'

export function ForgotPasswordPage() {
  const welcome = useQuery(welcomeQuery)
  if (welcome.isPending) {
    return (
      <OpenPage title="Reset your password" footer={<BackToSignIn />}>
        <Skeleton lines={3} />
      </OpenPage>
    )
  }
  return welcome.data?.mail === false ? <AskOperator /> : <RequestLink />
}

function RequestLink() {
  const [sentTo, setSentTo] = useState<string>()
  const form = useForm({ defaultValues: { email: '' }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ email }) => {
    await callApi('/auth/request-password-reset', { method: 'POST', body: { email: email.trim() } })
    setSentTo(email.trim())
  })
  const { errors, isSubmitting } = form.formState
  if (sentTo !== undefined) return <Sent email={sentTo} onAnother={() => setSentTo(undefined)} />
  return (
    <OpenPage
      title="Reset your password"
      about="We send a password reset link to your email address."
      footer={<BackToSignIn />}
    >
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <FormSummary form={form} />
        <EmailField input={form.register('email', EMAIL_RULES)} error={errors.email?.message} />
        <Button type="submit" look="primary" size="lg" busy={isSubmitting}>
          Send link
        </Button>
      </form>
    </OpenPage>
  )
}

/** Without an SMTP relay an operator creates the link. */
function AskOperator() {
  return (
    <OpenPage
      title="Reset your password"
      about="Email is not configured. Ask an operator for a password reset link."
      footer={<BackToSignIn />}
    >
      <Callout title="For operators">
        <p>
          Create the link in the web app under Operator, Accounts, or with{' '}
          <code className="font-mono">probity-admin reset-link EMAIL</code>. It works once, for one hour.
        </p>
      </Callout>
    </OpenPage>
  )
}

function Sent({ email, onAnother }: { email: string; onAnother(): void }) {
  return (
    <OpenPage
      title="Check your email"
      about={
        <>
          If a user with the address <strong className="font-medium break-all text-ink">{email}</strong> exists, a link
          was sent to it. The link expires in 1 hour and can be used once.
        </>
      }
      footer={<BackToSignIn />}
    >
      <Button onClick={onAnother}>Send another link</Button>
    </OpenPage>
  )
}

function BackToSignIn() {
  return (
    <Link to="/sign-in" className="text-accent-text underline underline-offset-2">
      Back to sign-in
    </Link>
  )
}

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
    await callApi('/auth/reset-password', { method: 'POST', body: { newPassword: password, token } })
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
