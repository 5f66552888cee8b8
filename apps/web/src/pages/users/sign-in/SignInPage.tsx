import { useQueryClient } from '@tanstack/react-query'
import { Link, useRouter, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { asRequestFailed } from '../../../session/client.ts'
import { refreshSession, signIn, signInWithCode, useWelcome } from '../../../session/session.ts'
import { OpenPage } from '../../../shell/OpenPage.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Field, PasswordInput, TextInput } from '../../../ui/Field.tsx'
import { FormSummary, useSubmit } from '../../../ui/Form.tsx'
import { SendAgain } from './CheckYourEmail.tsx'
import { EMAIL_RULES, EmailField } from './fields.tsx'
import { readNextPath } from './next-path.ts'

export function SignInPage() {
  const { next } = useSearch({ from: '/sign-in' })
  const router = useRouter()
  const welcome = useWelcome()
  return (
    <OpenPage
      title="Sign in"
      footer={
        welcome?.sign_up === 'open' ? (
          <>
            New here?{' '}
            <Link to="/sign-up" className="text-accent-text underline underline-offset-2">
              Sign up
            </Link>
          </>
        ) : (
          'Sign-up is by invitation only.'
        )
      }
    >
      <div className="flex flex-col gap-5">
        {welcome?.setup_needed && <NotSetUp />}
        <SignInForm onSignedIn={() => router.navigate({ href: `/app${readNextPath(next)}`, replace: true })} />
      </div>
    </OpenPage>
  )
}

function NotSetUp() {
  return (
    <Callout title="Setup required">
      Open the setup link that was printed when the service was started.{' '}
      <code className="font-mono whitespace-nowrap">probity-admin setup-link</code> prints a new one.
    </Callout>
  )
}

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
  if (step === 'code') return <TwoFactorForm action={action} onSignedIn={finish} onBack={() => setStep('password')} />
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

type SecondStepProps = { action: string; back?: string; onSignedIn(): unknown; onBack(): void }

/** The code from the authenticator app, or a recovery code. */
export function TwoFactorForm(props: SecondStepProps) {
  const [kind, setKind] = useState<'totp' | 'recovery'>('totp')
  const other = kind === 'totp' ? 'recovery' : 'totp'
  return <CodeForm key={kind} {...props} kind={kind} onOther={() => setKind(other)} />
}

const KINDS = {
  totp: {
    label: 'Code from your authenticator app',
    hint: 'Six digits that change every 30 seconds.',
    missing: 'Enter the six-digit code.',
    other: 'Use a recovery code instead',
  },
  recovery: {
    label: 'Recovery code',
    hint: 'One of the codes that you saved when you set up two-factor authentication. Each code works once.',
    missing: 'Enter one of your recovery codes.',
    other: 'Use the authenticator app instead',
  },
}

function CodeForm(props: SecondStepProps & CodeKind) {
  const { kind, action, back = 'Start over', onSignedIn, onOther, onBack } = props
  const form = useForm({ defaultValues: { code: '' }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ code }) => {
    await signInWithCode(kind, code)
    await onSignedIn()
  })
  const { errors, isSubmitting } = form.formState
  const { label, hint, missing, other } = KINDS[kind]
  const isTotp = kind === 'totp'
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <FormSummary form={form} />
      <Field label={label} hint={hint} error={errors.code?.message}>
        {(ids) => (
          <TextInput
            {...ids}
            {...form.register('code', { required: missing })}
            autoFocus
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            {...(isTotp && { inputMode: 'numeric' as const, maxLength: 9 })}
            className="font-mono tracking-wider"
          />
        )}
      </Field>
      <Button type="submit" look="primary" size="lg" busy={isSubmitting}>
        {action}
      </Button>
      <div className="flex flex-col items-center gap-1">
        <Button look="quiet" size="sm" onClick={onOther}>
          {other}
        </Button>
        <Button look="quiet" size="sm" onClick={onBack}>
          {back}
        </Button>
      </div>
    </form>
  )
}

type CodeKind = { kind: keyof typeof KINDS; onOther(): void }
