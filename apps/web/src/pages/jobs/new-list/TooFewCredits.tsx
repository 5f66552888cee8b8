import type { UploadPreview } from '@probity/sdk'
import { Link } from '@tanstack/react-router'
import { Button, buttonClass } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { formatDateTime, formatNumber } from '../../../ui/format.ts'

/** Whether the list costs more than the available credits. Test mode is free. */
export function isTooShort({ credits, livemode }: UploadPreview): boolean {
  return livemode && !credits.unlimited && credits.quote > credits.available
}

/** Explains that the draft is kept, and how to continue. */
export function TooFewCredits({ preview, onRefresh }: { preview: UploadPreview; onRefresh(): void }) {
  const { quote, available } = preview.credits
  return (
    <Callout kind="warning" live title={`Insufficient credits (${formatNumber(quote - available)} short)`}>
      <p>
        Add credits and refresh, or upload a shorter file. This draft expires {formatDateTime(preview.expires_at)}. No
        credits have been charged.
      </p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Link to="/billing" className={buttonClass('secondary', 'sm')}>
          Add credits
        </Link>
        <Button size="sm" onClick={onRefresh}>
          Refresh
        </Button>
        <Link to="/lists/new" search={({ mode, org }) => ({ mode, org })} className={buttonClass('secondary', 'sm')}>
          Upload another file
        </Link>
      </div>
    </Callout>
  )
}
