import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { asRequestFailed } from '../../../session/probity.ts'
import { refreshSession, signIn } from '../../../session/sign-in.ts'
import { Button } from '../../../ui/Button.tsx'
import { Field } from '../../../ui/Field.tsx'
import { FormSummary } from '../../../ui/FormSummary.tsx'
import { PasswordInput } from '../../../ui/PasswordInput.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import { EMAIL_RULES, EmailField } from './EmailField.tsx'
import { SecondStep } from './SecondStep.tsx'
import { SendAgain } from './SendAgain.tsx'

type SignInProps = {
  /** The expected user, if known. */
  email?: string
  action?: string
  onSignedIn(): unknown
}

/** All steps of sign-in: password, 2FA code and the notice about an unconfirmed address. */
export function SignInForm({ email, action = 'Sign in', onSignedIn }: SignInProps) {
  const queryClient = useQueryClient()
  const [step, setStep] = useState<'password' | 'code'>('password')
  async function finish() {
    await refreshSession(queryClient)
    await onSignedIn()
  }
  if (step === 'code') return <SecondStep action={action} onSignedIn={finish} onBack={() => setStep('password')} />
  return (
    <PasswordStep
      {...(email !== undefined && { email })}
      action={action}
      onSignedIn={finish}
      onCodeNeeded={() => setStep('code')}
    />
  )
}

type PasswordStepProps = Required<Pick<SignInProps, 'action' | 'onSignedIn'>> & { email?: string; onCodeNeeded(): void }

function PasswordStep({ email, action, onSignedIn, onCodeNeeded }: PasswordStepProps) {
  const form = useForm({ defaultValues: { email: email ?? '', password: '' }, shouldFocusError: false })
  const [unverified, setUnverified] = useState<string>()
  const submit = useSubmit(form, async ({ email: typed, password }) => {
    setUnverified(undefined)
    try {
      const outcome = await signIn(typed, password)
      await (outcome === 'code_needed' ? onCodeNeeded() : onSignedIn())
    } catch (error) {
      if (asRequestFailed(error).code !== 'email_not_verified') throw error
      setUnverified(typed.trim())
    }
  })
  const { errors, isSubmitting } = form.formState
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <FormSummary form={form} />
      {unverified && <SendAgain email={unverified} />}
      <EmailField
        input={form.register('email', EMAIL_RULES)}
        error={errors.email?.message}
        fixed={email !== undefined}
      />
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
        {action}
      </Button>
      <Link to="/forgot-password" className="self-center text-accent-text underline underline-offset-2">
        Forgot your password?
      </Link>
    </form>
  )
}
