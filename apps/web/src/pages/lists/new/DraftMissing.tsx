import { Link } from '@tanstack/react-router'
import { Columns3, FileX } from 'lucide-react'
import { asRequestFailed } from '../../../api/probity.ts'
import { buttonClass } from '../../../ui/Button.tsx'
import { EmptyState, ErrorState } from '../../../ui/States.tsx'

/** A draft that is not there has one of three ends, none of them an error. */
export function DraftMissing({ error, onRetry }: { error: unknown; onRetry(): void }) {
  const { code, status } = asRequestFailed(error)
  if (code === 'unknown_column' || code === 'column_without_emails') return <ColumnMissing />
  if (status !== 404) return <ErrorState error={error} onRetry={onRetry} />
  return (
    <EmptyState
      icon={<FileX aria-hidden="true" />}
      title="This draft is no longer here"
      action={
        <>
          <Link to="/lists/new" search={(now) => ({ mode: now.mode, org: now.org })} className={buttonClass('primary')}>
            Upload a file
          </Link>
          <Link to="/lists" className={buttonClass()}>
            See all lists
          </Link>
        </>
      }
    >
      It was confirmed and is a list now, or it was discarded, or it was not confirmed within 24 hours.
    </EmptyState>
  )
}

/** The address names a column that will not do, as after a link that was cut off. */
function ColumnMissing() {
  return (
    <EmptyState
      icon={<Columns3 aria-hidden="true" />}
      title="The file has no addresses in this column"
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
