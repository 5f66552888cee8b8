import { Check } from 'lucide-react'
import { Button } from './Button.tsx'

type SaveLineProps = { isDirty: boolean; isBusy: boolean; isSaved: boolean; label?: string }

/** The save button of a form, and its state. */
export function SaveLine({ isDirty, isBusy, isSaved, label = 'Save' }: SaveLineProps) {
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button type="submit" look="primary" busy={isBusy} disabled={!isDirty && !isBusy}>
        {label}
      </Button>
      <p role="status" className="flex items-center gap-1.5 text-soft">
        {isSaved && !isDirty && (
          <>
            <Check className="size-4 text-valid" aria-hidden="true" />
            Saved.
          </>
        )}
        {isDirty && !isBusy && 'Unsaved changes.'}
      </p>
    </div>
  )
}
