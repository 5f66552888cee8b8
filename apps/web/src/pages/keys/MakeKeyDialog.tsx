import { useEffect, useState } from 'react'
import type { Key, NewKey } from '../../keys/keys-query.ts'
import { SecretReveal } from '../../keys/SecretReveal.tsx'
import { Button } from '../../ui/Button.tsx'
import { Callout } from '../../ui/Callout.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Checkbox } from '../../ui/Field.tsx'
import { KeyForm } from './KeyForm.tsx'
import { RotateForm } from './RotateForm.tsx'

/** A new key from nothing or in place of another, and then the key itself. */
export type Making = { kind: 'create' } | { kind: 'rotate'; key: Key } | { kind: 'secret'; made: NewKey }

type MakeKeyDialogProps = { making: Making; onMade(made: NewKey): void; onClose(): void }

/**
 * One dialog from the form to the secret, so that the focus never leaves it. With a secret in it, it closes only when that was
 * saved or when it is said twice.
 */
export function MakeKeyDialog({ making, onMade, onClose }: MakeKeyDialogProps) {
  const [isSaved, setSaved] = useState(false)
  const [isLeaving, setLeaving] = useState(false)
  const isAtRisk = making.kind === 'secret' && !isSaved
  useLeaveGuard(isAtRisk)
  const mayClose = () => {
    setLeaving(isAtRisk)
    return !isAtRisk
  }
  return (
    <Dialog open wide onClose={onClose} mayClose={mayClose} {...wordsOf(making)}>
      {making.kind === 'create' && <KeyForm onMade={onMade} onCancel={onClose} />}
      {making.kind === 'rotate' && <RotateForm of={making.key} onMade={onMade} onCancel={onClose} />}
      {making.kind === 'secret' && (
        <div className="flex flex-col gap-5">
          <SecretReveal made={making.made} onSaved={() => setSaved(true)} />
          <Checkbox label="I saved the key" checked={isSaved} onChange={(event) => setSaved(event.target.checked)} />
          {isLeaving && isAtRisk && <LeaveQuestion onStay={() => setLeaving(false)} onLeave={onClose} />}
          <div className="flex justify-end border-t border-line pt-4">
            <Button look="primary" onClick={() => mayClose() && onClose()}>
              Done
            </Button>
          </div>
        </div>
      )}
    </Dialog>
  )
}

function wordsOf(making: Making): { title: string; about?: string } {
  switch (making.kind) {
    case 'create':
      return { title: 'Create an API key' }
    case 'rotate':
      return {
        title: `Rotate ${making.key.name}`,
        about: 'You get a new key with the same name and settings. Both work until the old one ends.',
      }
    case 'secret':
      return { title: 'Your new key', about: 'Save it now: it is shown this once, since we keep only its hash.' }
  }
}

function LeaveQuestion({ onStay, onLeave }: { onStay(): void; onLeave(): void }) {
  return (
    <Callout kind="warning" live title="You will not see this key again">
      <p>Whoever needs it would have to make another one.</p>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button size="sm" onClick={onStay}>
          Stay
        </Button>
        <Button size="sm" look="danger" onClick={onLeave}>
          Close without saving
        </Button>
      </div>
    </Callout>
  )
}

/** Closing the tab or reloading would lose the key as well. */
function useLeaveGuard(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isOn])
}
