import { useQueryClient } from '@tanstack/react-query'
import { Download, ShieldCheck, ShieldOff } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useForm } from 'react-hook-form'
import { encode } from 'uqr'
import { callApi } from '../../../session/client.ts'
import { refreshSession, useSession } from '../../../session/session.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button, CopyButton } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Checkbox, Field, TextInput } from '../../../ui/Field.tsx'
import { FormSummary, useSubmit } from '../../../ui/Form.tsx'
import { Steps } from '../../../ui/Progress.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { PasswordDialog, PasswordForm } from './PasswordDialog.tsx'

type Open = 'turn_on' | 'turn_off' | 'codes' | undefined

export function SecondFactorCard() {
  const { person } = useSession()
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  return (
    <Card
      title="Two-factor authentication"
      about="Sign-in requires a code from an authenticator app in addition to your password."
      actions={
        person.two_factor ? (
          <Badge tone="valid" icon={<ShieldCheck aria-hidden="true" />}>
            On
          </Badge>
        ) : (
          <Badge icon={<ShieldOff aria-hidden="true" />}>Off</Badge>
        )
      }
    >
      <div className="flex flex-wrap gap-2">
        {person.two_factor ? (
          <>
            <Button onClick={() => setOpen('codes')}>Create new recovery codes</Button>
            <Button onClick={() => setOpen('turn_off')}>Disable 2FA</Button>
          </>
        ) : (
          <Button look="primary" onClick={() => setOpen('turn_on')}>
            Set up two-factor authentication
          </Button>
        )}
      </div>
      {open === 'turn_on' && <TurnOnDialog onClose={close} />}
      {open === 'codes' && <NewCodesDialog onClose={close} />}
      {open === 'turn_off' && <TurnOff onClose={close} />}
    </Card>
  )
}

function TurnOff({ onClose }: { onClose(): void }) {
  const queryClient = useQueryClient()
  const toasts = useToasts()
  async function turnOff(password: string, code: string) {
    await callApi('/auth/two-factor/disable', { method: 'POST', body: { password, code } })
    await refreshSession(queryClient)
    toasts.done('Two-factor authentication disabled.')
    onClose()
  }
  return (
    <PasswordDialog
      title="Disable two-factor authentication?"
      about="You will sign in with your password only. The recovery codes stop working."
      action="Disable 2FA"
      danger
      needsCode
      onClose={onClose}
      onPassword={turnOff}
    />
  )
}

export type TwoFactorSecret = { totpURI: string; backupCodes: string[] }

const STEPS = ['Password', 'App', 'Recovery codes']

/** Password, authenticator app, recovery codes. Secrets are kept only in the state of this dialog. */
export function TurnOnDialog({ onClose }: { onClose(): void }) {
  const queryClient = useQueryClient()
  const [secret, setSecret] = useState<TwoFactorSecret>()
  const [isOn, setOn] = useState(false)
  const step = isOn ? 2 : secret ? 1 : 0
  async function begin(password: string) {
    setSecret(await callApi<TwoFactorSecret>('/auth/two-factor/enable', { method: 'POST', body: { password } }))
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
    await callApi('/auth/two-factor/verify-totp', { method: 'POST', body: { code: code.replace(/\s/g, '') } })
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

/** Shown once: the dialog closes only after the user confirms that the codes are saved. */
function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone(): void }) {
  const { person } = useSession()
  const [isKept, setKept] = useState(false)
  const text = `${codes.join('\n')}\n`
  return (
    <div className="flex flex-col gap-4">
      <p className="text-soft">
        Use a recovery code to sign in if you lose your authenticator app. Each code works once. The codes are shown
        only once.
      </p>
      <ul
        aria-label="Recovery codes"
        className="flex flex-col gap-1 rounded-md bg-sunken px-4 py-3 font-mono text-[0.8125rem]"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={text} label="Copy recovery codes" word="Copy codes" />
        <Button
          size="sm"
          icon={<Download className="size-4" aria-hidden="true" />}
          onClick={() => saveAsFile(`Recovery codes for ${person.email} at ${window.location.host}\n\n${text}`)}
        >
          Download codes
        </Button>
      </div>
      <Checkbox
        label="I saved the codes in a safe place."
        checked={isKept}
        onChange={(event) => setKept(event.target.checked)}
      />
      <div className="flex justify-end">
        <Button look="primary" disabled={!isKept} onClick={onDone}>
          Done
        </Button>
      </div>
    </div>
  )
}

function saveAsFile(text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = url
  link.download = 'probity-recovery-codes.txt'
  link.click()
  URL.revokeObjectURL(url)
}

function NewCodesDialog({ onClose }: { onClose(): void }) {
  const [codes, setCodes] = useState<string[]>()
  async function make(password: string, code: string) {
    const path = '/auth/two-factor/generate-backup-codes'
    const body = { password, code }
    const { backupCodes } = await callApi<{ backupCodes: string[] }>(path, { method: 'POST', body })
    setCodes(backupCodes)
  }
  if (codes !== undefined) {
    return (
      <Dialog open onClose={onClose} mayClose={() => false} title="Your new recovery codes">
        <RecoveryCodes codes={codes} onDone={onClose} />
      </Dialog>
    )
  }
  return (
    <PasswordDialog
      title="Create new recovery codes?"
      about="Your current recovery codes stop working."
      action="Create codes"
      needsCode
      onClose={onClose}
      onPassword={make}
    />
  )
}

const BORDER = 4

/** Dark on light in both themes: many scanners cannot read inverted codes. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => draw(text), [text])
  return (
    <div className="w-fit overflow-hidden rounded-md border border-line">
      <svg
        viewBox={`0 0 ${size} ${size}`}
        role="img"
        aria-label={label}
        shapeRendering="crispEdges"
        className="size-48"
      >
        <rect width={size} height={size} fill="white" />
        <path d={path} fill="black" />
      </svg>
    </div>
  )
}

function draw(text: string): { size: number; path: string } {
  const { data, size } = encode(text, { ecc: 'M', border: BORDER })
  const squares = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
  return { size, path: squares.join('') }
}
