import type { BulkJob } from '@probity/sdk'
import type { ReactNode } from 'react'
import { asRequestFailed } from '../../../session/probity.ts'
import { Callout } from '../../../ui/Callout.tsx'
import { ConfirmDialog } from '../../../ui/Dialog.tsx'
import { formatCount } from '../../../ui/format.ts'
import type { Wish } from './use-wishes.ts'

/** Actions that need a confirmation. */
export type Asked = Exclude<Wish, 'resume'>

type Words = { title: string; confirm: string; cancel: string; danger: boolean; body(job: BulkJob): ReactNode }

const WORDS: Record<Asked, Words> = {
  pause: {
    title: 'Pause this list?',
    confirm: 'Pause',
    cancel: 'Keep running',
    danger: false,
    body: ({ credits, livemode }) => (
      <>
        <p>Addresses in progress will finish. No new ones start until you resume.</p>
        <p>
          Results so far are kept.{' '}
          {livemode
            ? `${formatCount(credits.reserved, 'credit stays', 'credits stay')} reserved for the rest.`
            : 'Test mode uses no credits.'}
        </p>
      </>
    ),
  },
  cancel: {
    title: 'Cancel this list?',
    confirm: 'Cancel list',
    cancel: 'Keep running',
    danger: true,
    body: (job) => (
      <>
        <p>A canceled list cannot be resumed.</p>
        <p>
          {formatCount(job.done_count, 'result')} {job.done_count === 1 ? 'is' : 'are'} kept. {whatReturns(job)}
        </p>
      </>
    ),
  },
  remove: {
    title: 'Delete this list?',
    confirm: 'Delete list',
    cancel: 'Keep list',
    danger: true,
    body: (job) => (
      <>
        <p>
          The file, its addresses and {formatCount(job.done_count, 'result')} are permanently deleted. Used credits are
          not refunded.
        </p>
        {job.finished_at === null && <p>Validation stops. {whatReturns(job)}</p>}
      </>
    ),
  },
}

function whatReturns({ credits, livemode }: BulkJob): string {
  if (!livemode) return 'Test mode uses no credits.'
  if (credits.reserved === 0) return 'There are no unused credits to release.'
  return `${formatCount(credits.reserved, 'unused credit is', 'unused credits are')} released.`
}

type WishDialogProps = {
  job: BulkJob
  asked: Asked | undefined
  busy: boolean
  error: unknown
  onCancel(): void
  onConfirm(wish: Asked): void
}

/** Confirms an action and names the results that are kept and the credits that are released. */
export function WishDialog({ job, asked, busy, error, onCancel, onConfirm }: WishDialogProps) {
  if (asked === undefined) return null
  const { title, confirm, cancel, danger, body } = WORDS[asked]
  return (
    <ConfirmDialog
      open
      title={title}
      confirm={confirm}
      cancel={cancel}
      danger={danger}
      busy={busy}
      onCancel={onCancel}
      onConfirm={() => onConfirm(asked)}
    >
      <p className="font-medium break-words text-ink">{job.filename}</p>
      {body(job)}
      {error !== null && (
        <Callout kind="error" live>
          {asRequestFailed(error).message}
        </Callout>
      )}
    </ConfirmDialog>
  )
}
