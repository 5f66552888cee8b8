import { SecretDialog } from '../../../ui/SecretDialog.tsx'
import { KeyForm } from './KeyForm.tsx'
import type { Key, NewKey } from './keys-query.ts'
import { RotateForm } from './RotateForm.tsx'
import { SecretReveal } from './SecretReveal.tsx'

/** Creates or rotates a key, then shows its secret. */
export type Making = { kind: 'create' } | { kind: 'rotate'; key: Key } | { kind: 'secret'; made: NewKey }

type MakeKeyDialogProps = { making: Making; onMade(made: NewKey): void; onClose(): void }

export function MakeKeyDialog({ making, onMade, onClose }: MakeKeyDialogProps) {
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
        title: `Rotate ${making.key.name}`,
        about: 'You get a new key with the same name and settings. Both keys work until the old key expires.',
      }
    case 'secret':
      return { title: 'Your new key', about: 'Save it now. It is shown only once, because we store only a hash.' }
  }
}
