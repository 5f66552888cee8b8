import { type ReactNode, useEffect, useId, useRef } from 'react'
import { CopyButton } from './CopyButton.tsx'
import { TextInput } from './Field.tsx'

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
