import { Link } from '@tanstack/react-router'
import { Columns3, FileX } from 'lucide-react'
import { asRequestFailed } from '../../../session/probity.ts'
import { buttonClass } from '../../../ui/Button.tsx'
import { EmptyState, ErrorState } from '../../../ui/States.tsx'

/** A missing draft was confirmed, discarded or has expired; none of these is an error. */
export function DraftMissing({ error, onRetry }: { error: unknown; onRetry(): void }) {
  const { code, status } = asRequestFailed(error)
  if (code === 'unknown_column' || code === 'column_without_emails') return <ColumnMissing />
  if (status !== 404) return <ErrorState what="The draft could not be loaded" error={error} onRetry={onRetry} />
  return (
    <EmptyState
      icon={<FileX aria-hidden="true" />}
      title="Draft not found"
      action={
        <>
          <Link to="/lists/new" search={(now) => ({ mode: now.mode, org: now.org })} className={buttonClass('primary')}>
            Upload a file
          </Link>
          <Link to="/lists" className={buttonClass()}>
            View all lists
          </Link>
        </>
      }
    >
      It was already confirmed, discarded, or not confirmed within 24 hours.
    </EmptyState>
  )
}

/** The URL names a column that does not exist or has no addresses, for example in a truncated link. */
function ColumnMissing() {
  return (
    <EmptyState
      icon={<Columns3 aria-hidden="true" />}
      title="No addresses in this column"
      action={
        <Link
          to="/lists/new"
          search={({ mode, org, upload }) => ({ mode, org, ...(upload !== undefined && { upload }) })}
          className={buttonClass('primary')}
        >
          Choose a column
        </Link>
      }
    />
  )
}
