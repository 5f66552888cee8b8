import type { RerunRows } from '@probity/contract/constants/jobs'
import type { BulkJob } from '@probity/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { asRequestFailed, newIdempotencyKey } from '../../../session/client.ts'
import { accountQuery, useScene } from '../../../session/workspace.ts'
import { buttonClass } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { ConfirmDialog, Dialog } from '../../../ui/Dialog.tsx'
import { formatCharge, formatCount, formatDateTime, formatNumber } from '../../../ui/format.ts'
import { jobQuery } from './queries.ts'
import { lastingWords, unknownWords } from './rerun-words.ts'

type RerunProps = { job: BulkJob; rows: RerunRows; onClose(): void }

/** Validates the addresses of a list again, after the cost is confirmed: all of them as a new list, or the unknown ones in this list. */
export function RerunDialog({ job, rows, onClose }: RerunProps) {
  if (rows === 'unknown' && job.rerunnable_count === 0) return <NothingCanChange job={job} onClose={onClose} />
  return <ConfirmRerun job={job} rows={rows} onClose={onClose} />
}

function ConfirmRerun({ job, rows, onClose }: RerunProps) {
  const count = rows === 'all' ? job.unique_count : job.rerunnable_count
  const rerun = useRerun(job, rows, onClose)
  const balance = useQuery(accountQuery(useScene())).data?.credits
  const isGone = Date.parse(job.file_expires_at) <= Date.now()
  const missing = job.livemode && balance?.unlimited === false ? Math.max(0, count - balance.available) : 0
  return (
    <ConfirmDialog
      open
      title={rows === 'all' ? 'Run this list again?' : `Validate ${unknownWords(job)} again?`}
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
          {rows === 'all' ? (
            <p>A new list validates every address of the file again. The results of this list are kept.</p>
          ) : (
            <UnknownRows job={job} />
          )}
          <p className="text-ink">
            Cost: {formatCharge(count, job.livemode)}.
            {job.livemode && balance && !balance.unlimited && ` Available: ${formatNumber(balance.available)}.`}
          </p>
          <p className="text-[0.8125rem] text-faint">Possible until {formatDateTime(job.file_expires_at)}.</p>
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

function UnknownRows({ job }: { job: BulkJob }) {
  const lasting = lastingWords(job)
  return (
    <>
      {lasting.length > 0 && (
        <p>{lasting.join(' ')} Another validation cannot change their result, so they are left out and not charged.</p>
      )}
      <p>New verdicts replace the unknown ones in this list. No new list is created.</p>
    </>
  )
}

function NothingCanChange({ job, onClose }: Omit<RerunProps, 'rows'>) {
  return (
    <Dialog open onClose={onClose} title={`Validating the ${unknownWords(job)} again changes nothing`} about={job.name}>
      <p>{lastingWords(job).join(' ')} Another validation has the same result.</p>
    </Dialog>
  )
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

/** One key per dialog: a repeated click after a lost connection charges nothing twice. */
function useRerun({ id }: BulkJob, rows: RerunRows, onDone: () => void) {
  const scene = useScene()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [idempotencyKey] = useState(newIdempotencyKey)
  return useMutation({
    mutationFn: () => scene.probity.jobs.rerun(id, { rows, idempotencyKey }),
    onSuccess: async (created) => {
      void queryClient.invalidateQueries({ queryKey: accountQuery(scene).queryKey })
      if (rows === 'unknown') {
        await queryClient.invalidateQueries({ queryKey: jobQuery(scene, id).queryKey, exact: true })
      } else {
        void queryClient.invalidateQueries({ queryKey: [...scene.key, 'lists'] })
        await navigate({ to: '/lists/$jobId', params: { jobId: created.id }, search: sceneOnly })
      }
      // The page of the new list is the same component.
      onDone()
    },
  })
}
