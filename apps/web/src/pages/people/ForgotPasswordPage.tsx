import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { ask } from '../../api/ask.ts'
import { OpenPage } from '../../shell/OpenPage.tsx'
import { Button } from '../../ui/Button.tsx'
import { FormSummary } from '../../ui/FormSummary.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { EMAIL_RULES, EmailField } from './EmailField.tsx'
import { NoMailHere } from './SendAgain.tsx'

export function ForgotPasswordPage() {
  const [sentTo, setSentTo] = useState<string>()
  const form = useForm({ defaultValues: { email: '' }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ email }) => {
    await ask('/auth/request-password-reset', { method: 'POST', body: { email: email.trim() } })
    setSentTo(email.trim())
  })
  const { errors, isSubmitting } = form.formState
  if (sentTo !== undefined) return <Sent email={sentTo} onAnother={() => setSentTo(undefined)} />
  return (
    <OpenPage
      title="Choose a new password"
      about="A link to do so is sent to your email address."
      footer={<BackToSignIn />}
    >
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <FormSummary form={form} />
        <EmailField input={form.register('email', EMAIL_RULES)} error={errors.email?.message} />
        <Button type="submit" look="primary" size="lg" busy={isSubmitting}>
          Send the link
        </Button>
      </form>
    </OpenPage>
  )
}

function Sent({ email, onAnother }: { email: string; onAnother(): void }) {
  return (
    <OpenPage
      title="Look at your mail"
      about={
        <>
          If <strong className="font-medium break-all text-ink">{email}</strong> has an account, a link was sent to it.
          It works for one hour, and once.
        </>
      }
      footer={<BackToSignIn />}
    >
      <div className="flex flex-col gap-4">
        <NoMailHere />
        <Button onClick={onAnother}>Send it again, or to another address</Button>
      </div>
    </OpenPage>
  )
}

function BackToSignIn() {
  return (
    <Link to="/sign-in" className="text-accent-text underline underline-offset-2">
      Back to the sign-in
    </Link>
  )
}
