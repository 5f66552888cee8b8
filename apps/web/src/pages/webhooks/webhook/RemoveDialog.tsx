import type { Webhook } from '@probity/sdk'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { asRequestFailed } from '../../../session/probity.ts'
import { useScene } from '../../../session/scene.ts'
import { Callout } from '../../../ui/Callout.tsx'
import { ConfirmDialog } from '../../../ui/Dialog.tsx'
import { Field, TextInput } from '../../../ui/Field.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { useRefreshWebhooks } from '../overview/queries.ts'

/** Deletes a webhook permanently. An enabled webhook must be confirmed by its host. */
export function RemoveDialog({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const [typed, setTyped] = useState('')
  const { host } = new URL(webhook.url)
  const removal = useRemoval(webhook)
  return (
    <ConfirmDialog
      open
      danger
      title="Delete this webhook?"
      confirm="Delete webhook"
      cancel="Keep webhook"
      busy={removal.isPending}
      disabled={webhook.enabled && typed.trim() !== host}
      onCancel={onClose}
      onConfirm={() => removal.mutate()}
    >
      <p className="font-medium break-words text-ink">{webhook.url}</p>
      <p>Events are no longer sent, and the delivery log is deleted. This cannot be undone.</p>
      {webhook.enabled && (
        <Field label={<span className="text-ink">Type “{host}” to confirm</span>}>
          {(ids) => (
            <TextInput {...ids} value={typed} onChange={(event) => setTyped(event.target.value)} autoComplete="off" />
          )}
        </Field>
      )}
      {removal.isError && (
        <Callout kind="error" live>
          {asRequestFailed(removal.error).message}
        </Callout>
      )}
    </ConfirmDialog>
  )
}

/** Navigates away before refetching: the webhook on this page no longer exists. */
function useRemoval({ id, url }: Webhook) {
  const { probity } = useScene()
  const navigate = useNavigate()
  const tell = useToasts()
  const refresh = useRefreshWebhooks()
  return useMutation({
    mutationFn: () => probity.webhooks.delete(id),
    onSuccess: async () => {
      await navigate({ to: '/webhooks' })
      tell.done(`Webhook ${url} deleted.`)
      await refresh()
    },
  })
}
