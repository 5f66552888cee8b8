import { type ClipboardEvent, type FormEvent, type ReactNode, type Ref, useId } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { TextInput } from '../../../ui/Field.tsx'
import { readPasted } from '../../jobs/new-list/text-files.ts'

type AddressFormProps = {
  value: string
  onChange(value: string): void
  onSubmit(email: string): void
  /** Pasted text with more than one address. Without it, the text is pasted as it is. */
  onSeveral?(emails: string[]): void
  busy: boolean
  inputRef?: Ref<HTMLInputElement>
  /** Below the field. */
  children?: ReactNode
}

/** The field and the button for one address. Any text can be sent: malformed addresses get a verdict too. */
export function AddressForm({ value, onChange, onSubmit, onSeveral, busy, inputRef, children }: AddressFormProps) {
  const id = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const email = cleanAddress(value)
    if (busy || email === '') return
    onChange(email)
    onSubmit(email)
  }
  const paste = (event: ClipboardEvent<HTMLInputElement>) => {
    const text = event.clipboardData.getData('text')
    const emails = onSeveral ? [...new Set(readPasted(text).emails)] : []
    if (onSeveral && emails.length > 1) {
      event.preventDefault()
      return onSeveral(emails)
    }
    const cleaned = cleanAddress(text)
    if (cleaned === text) return
    event.preventDefault()
    const { selectionStart, selectionEnd } = event.currentTarget
    onChange(value.slice(0, selectionStart ?? value.length) + cleaned + value.slice(selectionEnd ?? value.length))
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3" noValidate>
      <div>
        <label htmlFor={id} className="mb-1.5 block font-medium">
          Email address
        </label>
        <div className="flex flex-wrap gap-2 sm:flex-nowrap">
          <TextInput
            id={id}
            ref={inputRef}
            type="text"
            inputMode="email"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={1024}
            placeholder="ada@example.com"
            value={value}
            onChange={(event) => onChange(event.target.value)}
            onPaste={paste}
            className="h-11 min-w-0 flex-1 basis-56 text-base"
          />
          <Button
            type="submit"
            look="primary"
            size="lg"
            busy={busy}
            disabled={value.trim() === ''}
            className="max-sm:w-full"
          >
            {busy ? 'Validating…' : 'Validate'}
          </Button>
        </div>
      </div>
      {children}
    </form>
  )
}

/** The address in copied text: `Ada Lovelace <ada@example.com>`, `mailto:ada@example.com`, spaces around it. */
function cleanAddress(text: string): string {
  const [, bracketed] = /<([^<>@]*@[^<>]*)>/.exec(text) ?? []
  return (bracketed ?? text).trim().replace(/^mailto:/i, '')
}

type ExamplesProps = { names: readonly string[]; onPick(email: string): void; disabled?: boolean }

/** Addresses for which test mode has a result. */
export function Examples({ names, onPick, disabled = false }: ExamplesProps) {
  return (
    <fieldset className="flex flex-wrap items-center gap-1.5">
      <legend className="sr-only">Examples</legend>
      <span aria-hidden="true" className="me-0.5 text-[0.8125rem] text-faint">
        Try
      </span>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          disabled={disabled}
          onClick={() => onPick(`${name}@example.com`)}
          className="inline-flex min-h-7 items-center rounded-full border border-line bg-surface px-2.5 font-mono text-xs text-soft transition-colors hover:border-edge hover:text-ink disabled:opacity-55 pointer-coarse:min-h-10 pointer-coarse:px-3.5"
        >
          {name}
        </button>
      ))}
    </fieldset>
  )
}
