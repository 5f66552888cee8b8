import type { Webhook } from '@probity/sdk'
import { useMutation } from '@tanstack/react-query'
import { asRequestFailed } from '../../../session/probity.ts'
import { useScene } from '../../../session/scene.ts'
import { Callout } from '../../../ui/Callout.tsx'
import { ConfirmDialog } from '../../../ui/Dialog.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { useRefreshWebhooks } from '../overview/queries.ts'

export function DisableDialog({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const { probity } = useScene()
  const tell = useToasts()
  const refresh = useRefreshWebhooks()
  const disable = useMutation({
    mutationFn: () => probity.webhooks.update(webhook.id, { enabled: false }),
    onSuccess: async () => {
      await refresh()
      tell.done('Webhook disabled.')
      onClose()
    },
  })
  return (
    <ConfirmDialog
      open
      title="Disable this webhook?"
      confirm="Disable webhook"
      cancel="Keep enabled"
      busy={disable.isPending}
      onCancel={onClose}
      onConfirm={() => disable.mutate()}
    >
      <p className="font-medium break-words text-ink">{webhook.url}</p>
      <p>
        Events are no longer sent, and pending deliveries fail. You can enable the webhook again and resend failed
        deliveries. Events that occur in the meantime are not delivered later.
      </p>
      {disable.isError && (
        <Callout kind="error" live>
          {asRequestFailed(disable.error).message}
        </Callout>
      )}
    </ConfirmDialog>
  )
}
