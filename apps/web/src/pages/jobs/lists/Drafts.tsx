import type { Upload } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { FileText, Trash2 } from 'lucide-react'
import { useMay } from '../../../session/may.ts'
import { useScene } from '../../../session/scene.ts'
import { Button, buttonClass, IconButton } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { formatCount, formatDateTime } from '../../../ui/format.ts'
import { DiscardDialog, useDiscard } from './DiscardDialog.tsx'
import { draftsQuery } from './uploads.ts'

/** Uploads that are not confirmed yet, above the lists. */
export function Drafts() {
  const scene = useScene()
  const { data: drafts = [], isError, refetch } = useQuery(draftsQuery(scene))
  const discard = useDiscard({ onGone: () => document.getElementById('main')?.focus() })
  if (isError) return <DraftsFailed onRetry={() => void refetch()} />
  if (drafts.length === 0) return null
  return (
    <section aria-labelledby="drafts" className="rounded-lg border border-line bg-surface shadow-card">
      <header className="px-4 pt-3">
        <h2 id="drafts" className="font-semibold">
          Drafts
        </h2>
        <p className="text-[0.8125rem] text-soft">Uploaded but not confirmed. No credits have been charged.</p>
      </header>
      <ul className="divide-y divide-line px-4">
        {drafts.map((draft) => (
          <DraftRow key={draft.upload_id} draft={draft} onDiscard={() => discard.askFor(draft)} />
        ))}
      </ul>
      <DiscardDialog {...discard} />
    </section>
  )
}

function DraftRow({ draft, onDiscard }: { draft: Upload; onDiscard(): void }) {
  const mayMake = useMay('jobs:write')
  const { upload_id: upload, filename, row_count: rows, expires_at: expiresAt } = draft
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3">
      <FileText className="size-4 shrink-0 text-faint" aria-hidden="true" />
      <div className="min-w-0 flex-1 basis-48">
        <p className="font-medium [overflow-wrap:anywhere]">{filename}</p>
        <p className="text-[0.8125rem] text-soft">
          {formatCount(rows, 'row')}, expires {formatDateTime(expiresAt)}
        </p>
      </div>
      {mayMake && (
        <div className="ms-auto flex gap-1">
          <Link to="/lists/new" search={{ upload }} className={buttonClass('secondary', 'sm')}>
            Continue<span className="sr-only"> with {filename}</span>
          </Link>
          <IconButton size="sm" label={`Discard ${filename}`} onClick={onDiscard}>
            <Trash2 aria-hidden="true" />
          </IconButton>
        </div>
      )}
    </li>
  )
}

function DraftsFailed({ onRetry }: { onRetry(): void }) {
  return (
    <Callout
      kind="warning"
      actions={
        <Button size="sm" onClick={onRetry}>
          Try again
        </Button>
      }
    >
      Drafts could not be loaded. The lists below are not affected.
    </Callout>
  )
}
