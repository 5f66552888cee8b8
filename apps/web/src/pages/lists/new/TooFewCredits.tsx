import type { UploadPreview } from '@probity/sdk'
import { Link } from '@tanstack/react-router'
import { Button, buttonClass } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { formatCount, formatDateTime } from '../../../ui/format.ts'

/** Whether the list costs more than there is. In test mode nothing costs anything. */
export function isTooShort({ credits, livemode }: UploadPreview): boolean {
  return livemode && !credits.unlimited && credits.quote > credits.available
}

/** Nothing is lost for want of credits: the file waits, and there are ways on. */
export function TooFewCredits({ preview, onRefresh }: { preview: UploadPreview; onRefresh(): void }) {
  const { quote, available } = preview.credits
  return (
    <Callout kind="warning" live title={`${formatCount(quote - available, 'credit')} too few`}>
      <p>
        Add credits and look again, or upload a shorter file. This draft is kept until{' '}
        {formatDateTime(preview.expires_at)}, and nothing has been charged.
      </p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Link to="/billing" className={buttonClass('secondary', 'sm')}>
          Add credits
        </Link>
        <Button size="sm" onClick={onRefresh}>
          Look again
        </Button>
        <Link to="/lists/new" search={({ mode, org }) => ({ mode, org })} className={buttonClass('secondary', 'sm')}>
          Upload another file
        </Link>
      </div>
    </Callout>
  )
}
