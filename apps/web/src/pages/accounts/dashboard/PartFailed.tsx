import { RotateCw } from 'lucide-react'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'

/** Shown for a part that could not be loaded; the other parts are shown normally. */
export function PartFailed({ what, onRetry }: { what: string; onRetry(): void }) {
  return (
    <Callout
      kind="warning"
      actions={
        <Button size="sm" onClick={onRetry} icon={<RotateCw className="size-4" aria-hidden="true" />}>
          Try again
        </Button>
      }
    >
      {what} could not be loaded.
    </Callout>
  )
}
