import type { RerunRows } from '@probity/contract/constants/jobs'
import type { BulkJob } from '@probity/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { asRequestFailed, newIdempotencyKey } from '../../../session/client.ts'
import { accountQuery, useScene } from '../../../session/workspace.ts'
import { buttonClass } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { ConfirmDialog } from '../../../ui/Dialog.tsx'
import { formatCharge, formatCount, formatDateTime, formatNumber } from '../../../ui/format.ts'

type RerunProps = { job: BulkJob; rows: RerunRows; onClose(): void }

const WORDS: Record<RerunRows, { title: string; about: string }> = {
  all: { title: 'Run this list again?', about: 'A new list validates every address of the file again.' },
  unknown: {
    title: 'Validate unknown addresses again?',
    about: 'A new list validates only the addresses whose verdict is unknown.',
  },
}

/** Creates a list from the file of this one, after its cost is confirmed. */
export function RerunDialog({ job, rows, onClose }: RerunProps) {
  const count = countOf(job, rows)
  const rerun = useRerun(job, rows, onClose)
  const balance = useQuery(accountQuery(useScene())).data?.credits
  const isGone = Date.parse(job.file_expires_at) <= Date.now()
  const missing = job.livemode && balance?.unlimited === false ? Math.max(0, count - balance.available) : 0
  const { title, about } = WORDS[rows]
  return (
    <ConfirmDialog
      open
      title={title}
      confirm={`Validate ${formatCount(count, 'address', 'addresses')}`}
      busy={rerun.isPending || rerun.isSuccess}
      disabled={isGone || missing > 0}
      onCancel={onClose}
      onConfirm={() => rerun.mutate()}
    >
      <p className="font-medium break-words text-ink">{job.name}</p>
      {isGone ? (
        <Callout kind="warning" title="The file was deleted.">
          Files are stored for 7 days. Upload the file again to validate it.
        </Callout>
      ) : (
        <>
          <p>{about} The results of this list are kept.</p>
          <p>
            Cost: {formatCharge(count, job.livemode)}.
            {job.livemode && balance && !balance.unlimited && ` Available: ${formatNumber(balance.available)}.`}{' '}
            Possible until {formatDateTime(job.file_expires_at)}.
          </p>
        </>
      )}
      {missing > 0 && !isGone && <TooFewCredits missing={missing} />}
      {rerun.isError && (
        <Callout kind="error" live>
          {asRequestFailed(rerun.error).message}
        </Callout>
      )}
    </ConfirmDialog>
  )
}

/** The cost in credits. Erasures and duplicates of the file can only lower it. */
function countOf({ unique_count, status_counts }: BulkJob, rows: RerunRows): number {
  return rows === 'all' ? unique_count : status_counts.unknown
}

function TooFewCredits({ missing }: { missing: number }) {
  return (
    <Callout kind="warning" live title={`Insufficient credits (${formatNumber(missing)} short)`}>
      <Link to="/billing" className={buttonClass('secondary', 'sm', 'mt-2')}>
        Add credits
      </Link>
    </Callout>
  )
}

const sceneOnly = ({ mode, org }: { mode?: 'test' | undefined; org?: string | undefined }) => ({ mode, org })

/** One key per dialog: a repeated click after a lost connection creates no second list. */
function useRerun({ id }: BulkJob, rows: RerunRows, onDone: () => void) {
  const scene = useScene()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [idempotencyKey] = useState(newIdempotencyKey)
  return useMutation({
    mutationFn: () => scene.probity.jobs.rerun(id, { rows, idempotencyKey }),
    onSuccess: async (created) => {
      void queryClient.invalidateQueries({ queryKey: accountQuery(scene).queryKey })
      void queryClient.invalidateQueries({ queryKey: [...scene.key, 'lists'] })
      await navigate({ to: '/lists/$jobId', params: { jobId: created.id }, search: sceneOnly })
      // The page of the new list is the same component.
      onDone()
    },
  })
}
