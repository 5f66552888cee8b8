import type { UploadPreview } from '@probity/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { accountQuery } from '../../../session/account-query.ts'
import { asRequestFailed } from '../../../session/probity.ts'
import { useScene } from '../../../session/scene.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { formatCount } from '../../../ui/format.ts'
import { uploadsKey } from '../lists/uploads.ts'
import { DiscardButton } from './DiscardButton.tsx'
import { RequestName } from './RequestName.tsx'
import { isTooShort } from './TooFewCredits.tsx'

type ConfirmProps = { preview: UploadPreview; column: string; onRefresh(): void }

/** On phones the button stays visible above the navigation. */
const AT_HAND =
  'max-sm:fixed max-sm:inset-x-0 max-sm:bottom-14 max-sm:z-20 max-sm:border-t max-sm:border-line max-sm:bg-surface max-sm:p-3'

/** The button that starts the list. Its label contains the price. */
export function Confirm({ preview, column, onRefresh }: ConfirmProps) {
  const { upload_id: upload, filename } = preview
  const confirmation = useConfirmation(upload, column, onRefresh)
  const isShort = isTooShort(preview)
  return (
    <div className="flex flex-col gap-3">
      {confirmation.isError && !isShort && <NotConfirmed error={confirmation.error} />}
      <div className={isShort ? '' : AT_HAND}>
        <Button
          look="primary"
          size="lg"
          disabled={isShort || preview.unique_count === 0}
          busy={confirmation.isPending || confirmation.isSuccess}
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

function useConfirmation(uploadId: string, emailColumn: string, onRefused: () => void) {
  const scene = useScene()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: () => scene.probity.jobs.create(uploadId, { emailColumn }),
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
