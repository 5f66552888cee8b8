import { Download } from 'lucide-react'
import { useState } from 'react'
import { useSession } from '../../session/session.ts'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Checkbox } from '../../ui/Field.tsx'

/** Shown once: closing is possible when they are somewhere safe. */
export function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone(): void }) {
  const { person } = useSession()
  const [isKept, setKept] = useState(false)
  const text = `${codes.join('\n')}\n`
  return (
    <div className="flex flex-col gap-4">
      <p className="text-soft">
        They let you sign in when your phone is lost. Each works once. They are shown now and never again.
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
        <CopyButton text={text} label="Copy the recovery codes" word="Copy" />
        <Button
          size="sm"
          icon={<Download className="size-4" aria-hidden="true" />}
          onClick={() => saveAsFile(`Recovery codes of ${person.email} at ${window.location.host}\n\n${text}`)}
        >
          Download
        </Button>
      </div>
      <Checkbox
        label="I have kept the codes in a safe place."
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
