import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { asRequestFailed } from '../../../session/client.ts'
import { useScene } from '../../../session/workspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { ConfirmDialog, Dialog } from '../../../ui/Dialog.tsx'
import { Field, SelectInput, TextInput } from '../../../ui/Field.tsx'
import { FormSummary, useSubmit } from '../../../ui/Form.tsx'
import { formatRelative } from '../../../ui/format.ts'
import { SecretDialog } from '../../../ui/Secret.tsx'
import { EmbedDialog } from './EmbedDialog.tsx'
import { KeyForm, LimitFields, NAME_RULES } from './KeyForm.tsx'
import { expiryWord, limitsOf, pointingAtFields, readLimits } from './key-form.ts'
import type { Key, NewKey } from './keys-query.ts'
import { SecretReveal } from './SecretReveal.tsx'

/** The open dialog. At most one is open. */
export type Opened = Making | { kind: 'rename' | 'limits' | 'embed' | 'revoke'; key: Key }

type KeyDialogsProps = {
  opened: Opened | undefined
  onMade(made: NewKey): void
  onDone(said: string): void
  onClose(): void
}

export function KeyDialogs({ opened, onMade, onDone, onClose }: KeyDialogsProps) {
  const change = { onDone, onClose }
  if (opened === undefined) return null
  switch (opened.kind) {
    case 'rename':
      return <RenameDialog of={opened.key} {...change} />
    case 'limits':
      return <LimitsDialog of={opened.key} {...change} />
    case 'embed':
      return <EmbedDialog of={opened.key} onClose={onClose} />
    case 'revoke':
      return <RevokeDialog of={opened.key} {...change} />
    case 'create':
    case 'rotate':
    case 'secret':
      return <CreateKeyDialog making={opened} onMade={onMade} onClose={onClose} />
  }
}

type ChangeProps = { of: Key; onDone(said: string): void; onClose(): void }

function RenameDialog({ of: key, onDone, onClose }: ChangeProps) {
  const { probity } = useScene()
  const form = useForm({ defaultValues: { name: key.name }, shouldFocusError: false })
  useEffect(() => form.setFocus('name', { shouldSelect: true }), [form])
  const submit = useSubmit(form, async ({ name }) => {
    await probity.keys.update(key.id, { name: name.trim() })
    onDone(`Key renamed to ${name.trim()}.`)
  })
  const { errors, isSubmitting } = form.formState
  return (
    <Dialog open onClose={onClose} title="Rename key">
      <form noValidate onSubmit={submit} className="flex flex-col gap-5">
        <FormSummary form={form} />
        <Field label="Name" error={errors.name?.message}>
          {(ids) => <TextInput {...ids} {...form.register('name', NAME_RULES)} autoComplete="off" maxLength={100} />}
        </Field>
        <Buttons onClose={onClose} busy={isSubmitting} word="Rename key" />
      </form>
    </Dialog>
  )
}

function LimitsDialog({ of: key, onDone, onClose }: ChangeProps) {
  const { probity } = useScene()
  const form = useForm({ defaultValues: limitsOf(key), shouldFocusError: false })
  useEffect(() => form.setFocus(key.type === 'secret' ? 'expiry' : 'allowed_origins'), [form, key.type])
  const submit = useSubmit(form, async (values) => {
    await pointingAtFields(probity.keys.update(key.id, readLimits(values, key.type)))
    onDone(`Limits of “${key.name}” changed.`)
  })
  return (
    <Dialog open onClose={onClose} title={`Limits of “${key.name}”`} about="Changes take effect within a second.">
      <form noValidate onSubmit={submit} className="flex flex-col gap-5">
        <FormSummary form={form} />
        <LimitFields form={form} type={key.type} now={expiryWord(key)} />
        <Buttons onClose={onClose} busy={form.formState.isSubmitting} word="Save limits" />
      </form>
    </Dialog>
  )
}

function Buttons({ onClose, busy, word }: { onClose(): void; busy: boolean; word: string }) {
  return (
    <div className="flex flex-wrap justify-end gap-2">
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" look="primary" busy={busy}>
        {word}
      </Button>
    </div>
  )
}

const STILL_IN_USE_MS = 7 * 86_400_000

/** Revokes a key permanently. A key in use must be confirmed by its name. */
function RevokeDialog({ of: key, onDone, onClose }: { of: Key; onDone(said: string): void; onClose(): void }) {
  const { probity } = useScene()
  const [typed, setTyped] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()
  const { last_used_at: usedAt } = key
  const isInUse = usedAt !== null && Date.now() - Date.parse(usedAt) < STILL_IN_USE_MS

  async function revoke() {
    setBusy(true)
    try {
      await probity.keys.revoke(key.id)
      onDone(`${key.name} revoked.`)
    } catch (error) {
      setFault(asRequestFailed(error).message)
      setBusy(false)
    }
  }
  return (
    <ConfirmDialog
      open
      danger
      title={`Revoke “${key.name}”?`}
      confirm="Revoke key"
      busy={isBusy}
      disabled={isInUse && typed.trim() !== key.name}
      onCancel={onClose}
      onConfirm={() => void revoke()}
    >
      <p>Requests with {key.hint} are rejected within a second. This cannot be undone.</p>
      <p>{usedAt === null ? 'The key has never been used.' : `It was last used ${formatRelative(usedAt)}.`}</p>
      {isInUse && (
        <Field label={<span className="text-ink">Type “{key.name}” to confirm</span>}>
          {(ids) => (
            <TextInput {...ids} value={typed} onChange={(event) => setTyped(event.target.value)} autoComplete="off" />
          )}
        </Field>
      )}
      {fault && (
        <p role="alert" className="text-invalid">
          {fault}
        </p>
      )}
    </ConfirmDialog>
  )
}

/** Creates or rotates a key, then shows its secret. */
type Making = { kind: 'create' } | { kind: 'rotate'; key: Key } | { kind: 'secret'; made: NewKey }

type MakeKeyDialogProps = { making: Making; onMade(made: NewKey): void; onClose(): void }

function CreateKeyDialog({ making, onMade, onClose }: MakeKeyDialogProps) {
  const secret =
    making.kind === 'secret'
      ? (onSaved: () => void) => <SecretReveal made={making.made} onSaved={onSaved} />
      : undefined
  return (
    <SecretDialog noun="key" onClose={onClose} secret={secret} {...wordsOf(making)}>
      {making.kind === 'create' && <KeyForm onMade={onMade} onCancel={onClose} />}
      {making.kind === 'rotate' && <RotateForm of={making.key} onMade={onMade} onCancel={onClose} />}
    </SecretDialog>
  )
}

function wordsOf(making: Making): { title: string; about?: string } {
  switch (making.kind) {
    case 'create':
      return { title: 'Create an API key' }
    case 'rotate':
      return {
        title: `Rotate “${making.key.name}”`,
        about: 'You get a new key with the same name and settings. Both keys work until the old key expires.',
      }
    case 'secret':
      return { title: 'Your new key', about: 'Save it now. It is shown only once, because we store only a hash.' }
  }
}

const OVERLAPS = [
  { seconds: 0, word: 'Immediately' },
  { seconds: 900, word: 'In 15 minutes' },
  { seconds: 3_600, word: 'In 1 hour' },
  { seconds: 21_600, word: 'In 6 hours' },
  { seconds: 86_400, word: 'In 24 hours' },
  { seconds: 604_800, word: 'In 7 days' },
]
const OVERLAP_DEFAULT_S = 86_400

type RotateFormProps = { of: Key; onMade(made: NewKey): void; onCancel(): void }

/** Creates a new secret with the same settings. The old key stays valid for a while, so that clients can switch. */
function RotateForm({ of: key, onMade, onCancel }: RotateFormProps) {
  const { probity } = useScene()
  const form = useForm({ defaultValues: { overlap_s: String(OVERLAP_DEFAULT_S) }, shouldFocusError: false })
  useEffect(() => form.setFocus('overlap_s'), [form])
  const submit = useSubmit(form, async ({ overlap_s: seconds }) => {
    onMade(await probity.keys.rotate(key.id, { overlapSeconds: Number(seconds) }))
  })
  const { errors, isSubmitting } = form.formState
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      <FormSummary form={form} />
      <Field label="Old key expires" hint={lastUse(key)} error={errors.overlap_s?.message} className="max-w-sm">
        {(ids) => (
          <SelectInput {...ids} {...form.register('overlap_s')}>
            {OVERLAPS.map(({ seconds, word }) => (
              <option key={seconds} value={seconds}>
                {word}
              </option>
            ))}
          </SelectInput>
        )}
      </Field>
      <div className="flex flex-wrap justify-end gap-2 border-t border-line pt-4">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="primary" busy={isSubmitting}>
          Rotate key
        </Button>
      </div>
    </form>
  )
}

function lastUse({ last_used_at: at }: Key): string {
  return at === null ? 'The old key has never been used.' : `The old key was last used ${formatRelative(at)}.`
}
