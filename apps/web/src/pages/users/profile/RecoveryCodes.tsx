import { Download } from 'lucide-react'
import { useState } from 'react'
import { useSession } from '../../../session/session.ts'
import { Button } from '../../../ui/Button.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { Checkbox } from '../../../ui/Field.tsx'

/** Shown once: the dialog closes only after the user confirms that the codes are saved. */
export function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone(): void }) {
  const { person } = useSession()
  const [isKept, setKept] = useState(false)
  const text = `${codes.join('\n')}\n`
  return (
    <div className="flex flex-col gap-4">
      <p className="text-soft">
        Use a recovery code to sign in if you lose your authenticator app. Each code works once. The codes are shown
        only once.
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
        <CopyButton text={text} label="Copy recovery codes" word="Copy codes" />
        <Button
          size="sm"
          icon={<Download className="size-4" aria-hidden="true" />}
          onClick={() => saveAsFile(`Recovery codes for ${person.email} at ${window.location.host}\n\n${text}`)}
        >
          Download codes
        </Button>
      </div>
      <Checkbox
        label="I saved the codes in a safe place."
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
