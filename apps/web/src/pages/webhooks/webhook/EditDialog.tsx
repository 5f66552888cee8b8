import type { Webhook } from '@probity/sdk'
import { useScene } from '../../../session/scene.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { useRefreshWebhooks } from '../overview/queries.ts'
import { WebhookForm } from '../overview/WebhookForm.tsx'

export function EditDialog({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const { probity } = useScene()
  const tell = useToasts()
  const refresh = useRefreshWebhooks()
  return (
    <Dialog open wide onClose={onClose} title="Edit webhook" about="Changes apply to new events.">
      <WebhookForm
        of={webhook}
        word="Save webhook"
        onCancel={onClose}
        onSend={async (settings) => {
          await probity.webhooks.update(webhook.id, settings)
          await refresh()
          tell.done('Webhook updated.')
          onClose()
        }}
      />
    </Dialog>
  )
}
