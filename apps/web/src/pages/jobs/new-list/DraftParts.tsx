import type { UploadPreview } from '@probity/sdk'
import { Link, useNavigate } from '@tanstack/react-router'
import { Columns3, FileText, FileX } from 'lucide-react'
import { asRequestFailed } from '../../../session/client.ts'
import { Button, buttonClass } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { formatBytes, formatCount, formatDateTime, formatNumber } from '../../../ui/format.ts'
import { EmptyState, ErrorState } from '../../../ui/States.tsx'
import { DiscardDialog, useDiscard } from '../lists/DiscardDialog.tsx'

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

const DELIMITERS: Record<string, string> = {
  ',': 'comma-separated',
  ';': 'semicolon-separated',
  '\t': 'tab-separated',
  '|': 'pipe-separated',
}

/** The detected format of the file, and when the draft expires. */
export function FileFacts({ preview }: { preview: UploadPreview }) {
  const facts = [
    formatBytes(preview.size_bytes),
    formatCount(preview.line_count, 'line'),
    formatCount(preview.columns.length, 'column'),
    ...(preview.sheet === null ? textFacts(preview) : [`sheet “${preview.sheet}”`]),
    describeHeader(preview.header_row),
  ]
  return (
    <div className="flex items-start gap-3">
      <FileText className="mt-0.5 size-4.5 shrink-0 text-faint" aria-hidden="true" />
      <div className="min-w-0">
        <p className="font-medium [overflow-wrap:anywhere]">{preview.filename}</p>
        <p className="text-soft">{facts.join(' · ')}</p>
        <p className="text-[0.8125rem] text-faint">
          The draft expires {formatDateTime(preview.expires_at)}. The file is then deleted.
        </p>
      </div>
    </div>
  )
}

function describeHeader(row: number | null): string {
  if (row === null) return 'no header row, columns are numbered'
  return row === 1 ? 'header row' : `header in row ${formatNumber(row)}`
}

function textFacts({ columns, delimiter, encoding }: UploadPreview): string[] {
  const separated = columns.length > 1 ? [DELIMITERS[delimiter] ?? `separated by ${delimiter}`] : []
  return [...separated, encoding.toUpperCase()]
}

/** Says that the same rows were validated before, so that they are not paid for twice by mistake. */
export function SameFileNotice({ preview: { same_file_job: job, livemode } }: { preview: UploadPreview }) {
  if (job === undefined) return null
  const cost = livemode ? ` for ${formatCount(job.credits_used, 'credit')}` : ''
  return (
    <Callout kind="warning" title="You validated the same file before.">
      <span className="[overflow-wrap:anywhere]">{job.filename}</span> was started {formatDateTime(job.created_at)}
      {cost}, with the column “<span className="[overflow-wrap:anywhere]">{job.email_column}</span>”.{' '}
      <Link
        to="/lists/$jobId"
        params={{ jobId: job.id }}
        search={({ mode, org }) => ({ mode, org })}
        className="text-accent-text underline underline-offset-4"
      >
        Open that list
      </Link>
    </Callout>
  )
}

export function DiscardButton({ upload, filename }: { upload: string; filename: string }) {
  const navigate = useNavigate()
  const discard = useDiscard({ onGone: () => void navigate({ to: '/lists', replace: true }) })
  return (
    <>
      <Button look="quiet" onClick={() => discard.askFor({ upload_id: upload, filename })}>
        Discard
      </Button>
      <DiscardDialog {...discard} />
    </>
  )
}
