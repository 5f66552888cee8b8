import { Download } from 'lucide-react'
import { useEffect, useId, useRef } from 'react'
import { KEY_VARIABLE, validateSnippets } from '../snippets/validate-snippets.ts'
import { Button } from '../ui/Button.tsx'
import { CodeTabs } from '../ui/Code.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { TextInput } from '../ui/Field.tsx'
import type { NewKey } from './keys-query.ts'

type SecretRevealProps = { made: NewKey; onSaved?(): void; withCode?: boolean }

/** A key in full, this once: to select, to copy, to download, and in code that runs as it stands. */
export function SecretReveal({ made, onSaved, withCode = true }: SecretRevealProps) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.select(), [])
  const save = () => {
    download('probity.env', `${KEY_VARIABLE}=${made.key}\nPROBITY_BASE_URL=${window.location.origin}\n`)
    onSaved?.()
  }
  return (
    <div className="flex flex-col gap-4">
      <div>
        <label htmlFor={id} className="mb-1.5 block font-medium">
          {made.name}
        </label>
        <TextInput
          id={id}
          ref={field}
          readOnly
          value={made.key}
          autoComplete="off"
          spellCheck={false}
          onFocus={(event) => event.currentTarget.select()}
          {...(onSaved && { onCopy: onSaved })}
          className="font-mono text-[0.8125rem]"
        />
        <div className="mt-2 flex flex-wrap gap-2">
          <CopyButton
            text={made.key}
            label="Copy the key"
            word="Copy the key"
            {...(onSaved && { onCopied: onSaved })}
          />
          <Button size="sm" onClick={save} icon={<Download className="size-4" aria-hidden="true" />}>
            Download as .env
          </Button>
        </div>
      </div>
      {withCode && made.scopes.includes('validation') && (
        <CodeTabs
          label="A first request"
          snippets={validateSnippets({ host: window.location.origin, email: exampleFor(made), key: made.key })}
        />
      )}
    </div>
  )
}

/** In test mode the part before the @ chooses the answer. */
function exampleFor({ mode }: NewKey): string {
  return mode === 'test' ? 'valid@example.com' : 'ada@example.com'
}

function download(filename: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = url
  link.download = filename
  link.click()
  URL.revokeObjectURL(url)
}
