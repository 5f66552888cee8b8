import { useState } from 'react'
import { asRequestFailed } from '../../../session/probity.ts'
import { useScene } from '../../../session/scene.ts'
import { ConfirmDialog } from '../../../ui/Dialog.tsx'
import { Field, TextInput } from '../../../ui/Field.tsx'
import { formatRelative } from '../../../ui/format.ts'
import type { Key } from './keys-query.ts'

const STILL_IN_USE_MS = 7 * 86_400_000

/** Revokes a key permanently. A key in use must be confirmed by its name. */
export function RevokeDialog({ of: key, onDone, onClose }: { of: Key; onDone(said: string): void; onClose(): void }) {
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
      title={`Revoke ${key.name}?`}
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
