import { ArrowRight, SpellCheck } from 'lucide-react'
import { Button } from '../../../ui/Button.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'

/** The typo suggestion. It is never applied automatically. */
export function Suggestion({ email, onTry }: { email: string; onTry: ((email: string) => void) | undefined }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md bg-accent-soft px-4 py-3 text-accent-text">
      <SpellCheck className="size-4 shrink-0" aria-hidden="true" />
      <p className="min-w-0 flex-1 basis-48 [overflow-wrap:anywhere]">
        Did you mean <strong className="font-mono font-medium">{email}</strong>?
      </p>
      {onTry ? (
        <Button size="sm" onClick={() => onTry(email)} icon={<ArrowRight className="size-4" aria-hidden="true" />}>
          Validate suggestion
        </Button>
      ) : (
        <CopyButton text={email} label="Copy suggested address" word="Copy" />
      )}
    </div>
  )
}
