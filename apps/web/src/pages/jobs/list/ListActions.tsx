import type { BulkJob } from '@probity/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import {
  Ban,
  CircleHelp,
  Ellipsis,
  GitCompareArrows,
  Pause,
  Pencil,
  Play,
  RotateCw,
  Share2,
  Trash2,
} from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { asRequestFailed } from '../../../session/client.ts'
import { useMay, useScene } from '../../../session/workspace.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { ConfirmDialog } from '../../../ui/Dialog.tsx'
import { formatCount } from '../../../ui/format.ts'
import { Menu, MenuItem } from '../../../ui/Menu.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { DownloadDialog } from './DownloadDialog.tsx'
import { ListDialogs, type OpenedDialog } from './ListDialogs.tsx'
import { isRerunning, jobQuery } from './queries.ts'
import { unknownWords } from './rerun-words.ts'

/** The actions for a list in its current state that the user's role permits. */
export function ListActions({ job }: { job: BulkJob }) {
  const mayChange = useMay('jobs:write')
  const [asked, setAsked] = useState<ConfirmedAction>()
  const [opened, setOpened] = useState<OpenedDialog>()
  const wishes = useJobActions(job, () => setAsked(undefined))
  const isUnderWay = job.finished_at === null
  return (
    <>
      {mayChange && (
        <>
          {isUnderWay && job.status !== 'paused' && (
            <Button icon={<Pause className="size-4" aria-hidden="true" />} onClick={() => setAsked('pause')}>
              Pause list
            </Button>
          )}
          {job.status === 'paused' && job.delay_reason !== 'under_review' && (
            <Button
              look="primary"
              busy={wishes.isPending && asked === undefined}
              icon={<Play className="size-4" aria-hidden="true" />}
              onClick={() => wishes.mutate('resume')}
            >
              Resume list
            </Button>
          )}
        </>
      )}
      {job.done_count > 0 && <DownloadDialog job={job} />}
      <MoreMenu job={job} mayChange={mayChange} onAsk={setAsked} onOpen={setOpened} />
      <ListDialogs job={job} opened={opened} onClose={() => setOpened(undefined)} />
      <JobActionDialog
        job={job}
        asked={asked}
        busy={wishes.isPending}
        error={asked === undefined ? null : wishes.error}
        onCancel={() => {
          wishes.reset()
          setAsked(undefined)
        }}
        onConfirm={(wish) => wishes.mutate(wish)}
      />
    </>
  )
}

type MoreProps = {
  job: BulkJob
  mayChange: boolean
  onAsk(asked: ConfirmedAction): void
  onOpen(opened: OpenedDialog): void
}

function MoreMenu({ job, mayChange, onAsk, onOpen }: MoreProps) {
  const isUnderWay = job.finished_at === null
  if (!mayChange && isUnderWay) return null
  return (
    <Menu
      label="More actions"
      trigger={
        <IconButton label="More actions" look="secondary">
          <Ellipsis />
        </IconButton>
      }
    >
      {mayChange && (
        <MenuItem icon={<Pencil aria-hidden="true" />} onSelect={() => onOpen({ kind: 'edit' })}>
          Rename and tag
        </MenuItem>
      )}
      {mayChange && !isUnderWay && <RerunItems job={job} onOpen={onOpen} />}
      {!isUnderWay && (
        <MenuItem icon={<GitCompareArrows aria-hidden="true" />} onSelect={() => onOpen({ kind: 'compare' })}>
          Compare with an earlier list
        </MenuItem>
      )}
      {mayChange && !isUnderWay && (
        <MenuItem icon={<Share2 aria-hidden="true" />} onSelect={() => onOpen({ kind: 'share' })}>
          Share a report
        </MenuItem>
      )}
      {mayChange && isUnderWay && (
        <MenuItem icon={<Ban aria-hidden="true" />} onSelect={() => onAsk('cancel')}>
          Cancel list
        </MenuItem>
      )}
      {mayChange && (
        <MenuItem danger icon={<Trash2 aria-hidden="true" />} onSelect={() => onAsk('remove')}>
          Delete list
        </MenuItem>
      )}
    </Menu>
  )
}

function RerunItems({ job, onOpen }: Pick<MoreProps, 'job' | 'onOpen'>) {
  const { unknown } = job.status_counts
  // A second rerun would charge the same addresses again.
  const isOffered = unknown > 0 && !isRerunning(job)
  return (
    <>
      <MenuItem icon={<RotateCw aria-hidden="true" />} onSelect={() => onOpen({ kind: 'rerun', rows: 'all' })}>
        Run again
      </MenuItem>
      {isOffered && (
        <MenuItem icon={<CircleHelp aria-hidden="true" />} onSelect={() => onOpen({ kind: 'rerun', rows: 'unknown' })}>
          Validate {unknownWords(job)} again
        </MenuItem>
      )}
    </>
  )
}

/** Actions that need a confirmation. */
type ConfirmedAction = Exclude<JobAction, 'resume'>

type Words = { title: string; confirm: string; cancel: string; danger: boolean; body(job: BulkJob): ReactNode }

const WORDS: Record<ConfirmedAction, Words> = {
  pause: {
    title: 'Pause this list?',
    confirm: 'Pause list',
    cancel: 'Continue validating',
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
    cancel: 'Continue validating',
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
    cancel: 'Cancel',
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
  asked: ConfirmedAction | undefined
  busy: boolean
  error: unknown
  onCancel(): void
  onConfirm(wish: ConfirmedAction): void
}

/** Confirms an action and names the results that are kept and the credits that are released. */
function JobActionDialog({ job, asked, busy, error, onCancel, onConfirm }: WishDialogProps) {
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
      <p className="font-medium break-words text-ink">{job.name}</p>
      {body(job)}
      {error !== null && (
        <Callout kind="error" live>
          {asRequestFailed(error).message}
        </Callout>
      )}
    </ConfirmDialog>
  )
}

type JobAction = 'pause' | 'resume' | 'cancel' | 'remove'

/** Pauses, resumes, cancels or deletes a list, and shows a toast. */
function useJobActions(job: BulkJob, onDone: () => void) {
  const scene = useScene()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const toasts = useToasts()
  const { jobs } = scene.probity
  return useMutation({
    mutationFn: async (wish: JobAction): Promise<BulkJob | undefined> => {
      if (wish !== 'remove') return jobs[wish](job.id)
      await jobs.delete(job.id)
      return undefined
    },
    onSuccess: async (now, wish) => {
      onDone()
      toasts.done(outcome(wish, job))
      void queryClient.invalidateQueries({ queryKey: [...scene.key, 'account'] })
      if (now !== undefined) {
        queryClient.setQueryData(jobQuery(scene, job.id).queryKey, now)
        return
      }
      await navigate({ to: '/lists' })
      queryClient.removeQueries({ queryKey: [...scene.key, 'list', job.id] })
      void queryClient.invalidateQueries({ queryKey: [...scene.key, 'lists'] })
    },
    onError: (error, wish) => {
      if (wish === 'resume') toasts.failed(asRequestFailed(error).message)
      // The list may have finished in the meantime.
      void queryClient.invalidateQueries({ queryKey: jobQuery(scene, job.id).queryKey, exact: true })
    },
  })
}

function outcome(wish: JobAction, { name, credits }: BulkJob): string {
  if (wish === 'pause') return `${name} paused.`
  if (wish === 'resume') return `${name} resumed.`
  if (wish === 'remove') return `${name} deleted.`
  const returned = credits.reserved > 0 ? ` ${formatCount(credits.reserved, 'unused credit')} released.` : ''
  return `${name} canceled.${returned}`
}
