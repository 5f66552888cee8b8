import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Button, CopyButton } from './Button.tsx'
import { Callout } from './Callout.tsx'
import { Dialog } from './Dialog.tsx'
import { Checkbox, TextInput } from './Field.tsx'

type SecretDialogProps = {
  title: string
  about?: string | undefined
  /** The noun for the secret in sentences: "key", "secret". */
  noun: string
  onClose(): void
  /** The secret, once it is created. */
  secret?: ((onSaved: () => void) => ReactNode) | undefined
  /** The form that creates it. */
  children?: ReactNode
}

/**
 * One dialog for the form and the secret, so that the focus stays inside. With a secret it closes only after a confirmation that it
 * was saved, or after a second request.
 */
export function SecretDialog({ title, about, noun, onClose, secret, children }: SecretDialogProps) {
  const [isSaved, setSaved] = useState(false)
  const [isLeaving, setLeaving] = useState(false)
  const isAtRisk = secret !== undefined && !isSaved
  useLeaveGuard(isAtRisk)
  const mayClose = () => {
    setLeaving(isAtRisk)
    return !isAtRisk
  }
  return (
    <Dialog open wide onClose={onClose} mayClose={mayClose} title={title} about={about}>
      {secret === undefined ? (
        children
      ) : (
        <div className="flex flex-col gap-5">
          {secret(() => setSaved(true))}
          <Checkbox
            label={`I saved the ${noun}`}
            checked={isSaved}
            onChange={(event) => setSaved(event.target.checked)}
          />
          {isLeaving && isAtRisk && <LeaveQuestion noun={noun} onStay={() => setLeaving(false)} onLeave={onClose} />}
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

function LeaveQuestion({ noun, onStay, onLeave }: { noun: string; onStay(): void; onLeave(): void }) {
  return (
    <Callout kind="warning" live title={`You will not see this ${noun} again`}>
      <p>If you lose it, you need to create a new one.</p>
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

/** Closing the tab or reloading would lose the secret as well. */
function useLeaveGuard(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isOn])
}

type SecretFieldProps = {
  label: string
  /** The noun for it in sentences: "key", "secret". */
  noun: string
  value: string
  onSaved?: (() => void) | undefined
  /** Other ways to save it, next to the copy button. */
  children?: ReactNode
}

/** A secret that can be read, selected and copied. It is preselected. */
export function SecretField({ label, noun, value, onSaved, children }: SecretFieldProps) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.select(), [])
  const word = `Copy ${noun}`
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block font-medium [overflow-wrap:anywhere]">
        {label}
      </label>
      <TextInput
        id={id}
        ref={field}
        readOnly
        value={value}
        autoComplete="off"
        spellCheck={false}
        onFocus={(event) => event.currentTarget.select()}
        {...(onSaved && { onCopy: onSaved })}
        className="font-mono text-[0.8125rem]"
      />
      <div className="mt-2 flex flex-wrap gap-2">
        <CopyButton text={value} label={word} word={word} {...(onSaved && { onCopied: onSaved })} />
        {children}
      </div>
    </div>
  )
}

/** A link to copy and pass on. */
export function SecretLink({ link, label }: { link: string; label: string }) {
  return (
    <div className="flex items-center gap-2">
      <TextInput
        readOnly
        value={link}
        aria-label={label}
        className="min-w-0 flex-1 font-mono text-[0.8125rem]"
        onFocus={(event) => event.target.select()}
      />
      <CopyButton text={link} label="Copy link" word="Copy link" />
    </div>
  )
}
