import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { signInWithCode } from '../../../session/sign-in.ts'
import { Button } from '../../../ui/Button.tsx'
import { Field, TextInput } from '../../../ui/Field.tsx'
import { FormSummary } from '../../../ui/FormSummary.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'

type SecondStepProps = { action: string; back?: string; onSignedIn(): unknown; onBack(): void }

/** The code from the authenticator app, or a recovery code. */
export function SecondStep(props: SecondStepProps) {
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
