import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { ask } from '../../../session/ask.ts'
import { refreshSession } from '../../../session/sign-in.ts'
import { Button } from '../../../ui/Button.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field, TextInput } from '../../../ui/Field.tsx'
import { FormSummary } from '../../../ui/FormSummary.tsx'
import { Steps } from '../../../ui/Steps.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import { PasswordForm } from './PasswordDialog.tsx'
import { QrCode } from './QrCode.tsx'
import { RecoveryCodes } from './RecoveryCodes.tsx'

type Secret = { totpURI: string; backupCodes: string[] }

const STEPS = ['Password', 'App', 'Recovery codes']

/** Password, authenticator app, recovery codes. Secrets are kept only in the state of this dialog. */
export function TurnOnDialog({ onClose }: { onClose(): void }) {
  const queryClient = useQueryClient()
  const [secret, setSecret] = useState<Secret>()
  const [isOn, setOn] = useState(false)
  const step = isOn ? 2 : secret ? 1 : 0
  async function begin(password: string) {
    setSecret(await ask<Secret>('/auth/two-factor/enable', { method: 'POST', body: { password } }))
  }
  async function finish() {
    await refreshSession(queryClient)
    onClose()
  }
  return (
    <Dialog open onClose={onClose} mayClose={() => !isOn} title="Set up two-factor authentication">
      <div className="flex flex-col gap-5">
        <Steps label="Steps" steps={STEPS} current={step} />
        {secret === undefined && <PasswordForm action="Continue" onClose={onClose} onPassword={begin} />}
        {secret && !isOn && <AppStep uri={secret.totpURI} onVerified={() => setOn(true)} />}
        {secret && isOn && <RecoveryCodes codes={secret.backupCodes} onDone={() => void finish()} />}
      </div>
    </Dialog>
  )
}

function AppStep({ uri, onVerified }: { uri: string; onVerified(): void }) {
  const key = new URL(uri).searchParams.get('secret') ?? ''
  return (
    <div className="flex flex-col gap-4">
      <p className="text-soft">Scan the QR code with an authenticator app, or enter the key in the app.</p>
      <div className="flex flex-wrap items-center gap-5">
        <QrCode text={uri} label="QR code with the key for your authenticator app" />
        <div className="min-w-0 flex-1 basis-44">
          <p className="font-medium">Key</p>
          <p className="mt-1 font-mono text-[0.8125rem] break-all text-soft">{key.replace(/(.{4})(?=.)/g, '$1 ')}</p>
          <div className="mt-2">
            <CopyButton text={key} label="Copy key" word="Copy key" />
          </div>
        </div>
      </div>
      <CodeForm onVerified={onVerified} />
    </div>
  )
}

function CodeForm({ onVerified }: { onVerified(): void }) {
  const form = useForm({ defaultValues: { code: '' }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ code }) => {
    await ask('/auth/two-factor/verify-totp', { method: 'POST', body: { code: code.replace(/\s/g, '') } })
    onVerified()
  })
  const { errors, isSubmitting } = form.formState
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <FormSummary form={form} />
      <Field label="Code from your authenticator app" error={errors.code?.message}>
        {(ids) => (
          <TextInput
            {...ids}
            {...form.register('code', { required: 'Enter the six-digit code.' })}
            autoFocus
            autoComplete="one-time-code"
            inputMode="numeric"
            maxLength={9}
            className="font-mono tracking-wider sm:w-40"
          />
        )}
      </Field>
      <div className="flex justify-end">
        <Button type="submit" look="primary" busy={isSubmitting}>
          Enable 2FA
        </Button>
      </div>
    </form>
  )
}
