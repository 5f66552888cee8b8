import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { callApi } from '../../../session/client.ts'
import { refreshSession, sessionQuery, useSecretInAddress } from '../../../session/session.ts'
import { OpenPage } from '../../../shell/OpenPage.tsx'
import { Button, buttonClass } from '../../../ui/Button.tsx'
import { Field, PasswordInput } from '../../../ui/Field.tsx'
import { FormSummary, useSubmit } from '../../../ui/Form.tsx'
import { BrokenLink } from './CheckYourEmail.tsx'

/** Confirms the new address of a profile. */
export function ConfirmEmailPage() {
  const token = useSecretInAddress('token')
  const queryClient = useQueryClient()
  const [isDone, setDone] = useState(false)
  if (isDone) return <Changed />
  if (token === undefined) return <BrokenLink />
  async function confirm(password: string) {
    await callApi('/email/confirm', { method: 'POST', body: { token, password } })
    await queryClient.invalidateQueries(sessionQuery)
    setDone(true)
  }
  return (
    <OpenPage
      title="Confirm your new email address"
      about="Enter your password. After that, you sign in with this address."
    >
      <ConfirmAddressForm onPassword={confirm} />
    </OpenPage>
  )
}

function Changed() {
  return (
    <OpenPage title="Email address changed" about="Sign in with the new address from now on.">
      <Link to="/" className={buttonClass('primary', 'lg', 'w-full')}>
        Continue
      </Link>
    </OpenPage>
  )
}

/** Confirms the address of a new user and signs in. */
export function VerifyEmailPage() {
  const token = useSecretInAddress('token')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  if (token === undefined) return <BrokenLink />
  async function confirm(password: string) {
    await callApi('/verify-email', { method: 'POST', body: { token, password } })
    await refreshSession(queryClient)
    await navigate({ to: '/quick-start', replace: true })
  }
  return (
    <OpenPage
      title="Confirm your email address"
      about="Enter the password that you chose when you signed up. If you did not sign up, close this page."
    >
      <ConfirmAddressForm onPassword={confirm} />
    </OpenPage>
  )
}

/** Confirms an address with the password. Mail scanners open links too, so opening the link alone must not confirm it. */
function ConfirmAddressForm({ onPassword }: { onPassword(password: string): Promise<unknown> }) {
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
