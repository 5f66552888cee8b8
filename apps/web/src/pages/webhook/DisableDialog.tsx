import type { Webhook } from '@probity/sdk'
import { useMutation } from '@tanstack/react-query'
import { asRequestFailed } from '../../api/probity.ts'
import { useScene } from '../../session/scene.ts'
import { Callout } from '../../ui/Callout.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { useToasts } from '../../ui/Toasts.tsx'
import { useRefreshWebhooks } from '../webhooks/queries.ts'

export function DisableDialog({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const { probity } = useScene()
  const tell = useToasts()
  const refresh = useRefreshWebhooks()
  const disable = useMutation({
    mutationFn: () => probity.webhooks.update(webhook.id, { enabled: false }),
    onSuccess: async () => {
      await refresh()
      tell.done('The webhook is disabled.')
      onClose()
    },
  })
  return (
    <ConfirmDialog
      open
      title="Disable this webhook?"
      confirm="Disable"
      cancel="Keep it on"
      busy={disable.isPending}
      onCancel={onClose}
      onConfirm={() => disable.mutate()}
    >
      <p className="font-medium break-words text-ink">{webhook.url}</p>
      <p>
        Nothing more is sent, and what is on its way fails. You can enable it again and recover what failed. Events that
        happen meanwhile are not kept for it.
      </p>
      {disable.isError && (
        <Callout kind="error" live>
          {asRequestFailed(disable.error).message}
        </Callout>
      )}
    </ConfirmDialog>
  )
}
