import { Download } from 'lucide-react'
import { Button } from '../../../ui/Button.tsx'
import { CodeTabs } from '../../../ui/Code.tsx'
import { SecretField } from '../../../ui/Secret.tsx'
import type { NewKey } from './keys-query.ts'
import { KEY_VARIABLE, validateSnippets } from './validate-snippets.ts'

type SecretRevealProps = { made: NewKey; onSaved?(): void; withCode?: boolean }

/** A new key, shown once: to copy, to download, and in code that runs without changes. */
export function SecretReveal({ made, onSaved, withCode = true }: SecretRevealProps) {
  const save = () => {
    download('probity.env', `${KEY_VARIABLE}=${made.key}\nPROBITY_BASE_URL=${window.location.origin}\n`)
    onSaved?.()
  }
  return (
    <div className="flex flex-col gap-4">
      <SecretField label={made.name} noun="key" value={made.key} onSaved={onSaved}>
        <Button size="sm" onClick={save} icon={<Download className="size-4" aria-hidden="true" />}>
          Download as .env
        </Button>
      </SecretField>
      {withCode && made.scopes.includes('validations:write') && (
        <CodeTabs
          label="Example request"
          snippets={validateSnippets({ host: window.location.origin, email: exampleFor(made), key: made.key })}
        />
      )}
    </div>
  )
}

/** In test mode the local part selects the result. */
function exampleFor({ livemode }: NewKey): string {
  return livemode ? 'ada@example.com' : 'valid@example.com'
}

function download(filename: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = url
  link.download = filename
  link.click()
  URL.revokeObjectURL(url)
}
