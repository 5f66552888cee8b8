import type { UploadPreview } from '@probity/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { asRequestFailed } from '../../../session/client.ts'
import { accountQuery, useScene } from '../../../session/workspace.ts'
import { Button, buttonClass, CopyButton } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { formatCount, formatDateTime, formatNumber } from '../../../ui/format.ts'
import { uploadsKey } from '../lists/lists-query.ts'
import { DiscardButton } from './DraftParts.tsx'
import { cellsOfPreview } from './use-upload.ts'

type ConfirmProps = {
  preview: UploadPreview
  column: string
  /** Whether the preview is about to be replaced by another one. */
  isOutdated: boolean
  onRefresh(): void
}

/** On phones the button stays visible above the navigation. */
const AT_HAND =
  'max-sm:fixed max-sm:inset-x-0 max-sm:bottom-14 max-sm:z-20 max-sm:border-t max-sm:border-line max-sm:bg-surface max-sm:p-3'

/** The button that starts the list. Its label contains the price. */
export function Confirm({ preview, column, isOutdated, onRefresh }: ConfirmProps) {
  const { upload_id: upload, filename } = preview
  const confirmation = useConfirmation(preview, column, onRefresh)
  const isShort = isTooShort(preview)
  return (
    <div className="flex flex-col gap-3">
      {confirmation.isError && !isShort && <NotConfirmed error={confirmation.error} />}
      <div className={isShort ? '' : AT_HAND}>
        <Button
          look="primary"
          size="lg"
          disabled={isShort || preview.unique_count === 0}
          busy={isOutdated || confirmation.isPending || confirmation.isSuccess}
          onClick={() => confirmation.mutate()}
          className="h-auto! min-h-11 w-full px-3! py-2 text-balance whitespace-normal!"
        >
          {confirmWords(preview)}
        </Button>
      </div>
      <DiscardButton upload={upload} filename={filename} />
    </div>
  )
}

function useConfirmation(preview: UploadPreview, emailColumn: string, onRefused: () => void) {
  const scene = useScene()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: () => scene.probity.jobs.create(preview.upload_id, { emailColumn, ...cellsOfPreview(preview) }),
    onSuccess: async ({ id }) => {
      void queryClient.invalidateQueries({ queryKey: accountQuery(scene).queryKey })
      void queryClient.invalidateQueries({ queryKey: [...scene.key, 'lists'] })
      // Replaces the history entry: the draft no longer exists.
      await navigate({ to: '/lists/$jobId', params: { jobId: id }, search: sceneOnly, replace: true })
      queryClient.removeQueries({ queryKey: uploadsKey(scene) })
    },
    // Another member may have used the credits in the meantime, so the figures are loaded again.
    onError: onRefused,
  })
}

const sceneOnly = ({ mode, org }: { mode?: 'test' | undefined; org?: string | undefined }) => ({ mode, org })

function confirmWords({ unique_count: unique, credits, livemode }: UploadPreview): string {
  if (unique === 0) return 'No addresses in this column'
  const addresses = `Validate ${formatCount(unique, 'address', 'addresses')}`
  if (!livemode) return `${addresses} in test mode`
  return credits.unlimited ? addresses : `${addresses} for ${formatCount(credits.quote, 'credit')}`
}

const REFUSALS: Record<string, string> = {
  upload_already_confirmed: 'This file was already confirmed with another column. See the list on the Lists page.',
  not_found: 'Draft not found. It was discarded, or it was not confirmed within 24 hours.',
  unreachable: 'The service cannot be reached. Try again. Retrying is safe: an upload is confirmed only once.',
}

function NotConfirmed({ error }: { error: unknown }) {
  const { code, message, requestId } = asRequestFailed(error)
  return (
    <Callout kind="error" live title="The list was not started">
      <p>{REFUSALS[code] ?? message}</p>
      <RequestName id={requestId} />
    </Callout>
  )
}

/** Whether the list costs more than the available credits. Test mode is free. */
export function isTooShort({ credits, livemode }: UploadPreview): boolean {
  return livemode && !credits.unlimited && credits.quote > credits.available
}

/** Explains that the draft is kept, and how to continue. */
export function InsufficientCredits({ preview, onRefresh }: { preview: UploadPreview; onRefresh(): void }) {
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

/** The ID of a failed request, for support. */
export function RequestName({ id }: { id: string | undefined }) {
  if (id === undefined) return null
  return (
    <p className="mt-1 flex flex-wrap items-center gap-1.5 text-[0.8125rem] text-soft">
      Request ID: <code className="font-mono break-all">{id}</code>
      <CopyButton text={id} label="Copy request ID" />
    </p>
  )
}
