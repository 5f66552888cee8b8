import { RotateCw } from 'lucide-react'
import { Button } from '../../ui/Button.tsx'
import { Callout } from '../../ui/Callout.tsx'

/** In place of a part that the service could not read. The others are there. */
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
      {what} could not be read just now.
    </Callout>
  )
}
