import type { Webhook } from '@probity/sdk'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { asRequestFailed } from '../../api/probity.ts'
import { useScene } from '../../session/scene.ts'
import { Callout } from '../../ui/Callout.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { Field, TextInput } from '../../ui/Field.tsx'
import { useToasts } from '../../ui/Toasts.tsx'
import { useRefreshWebhooks } from '../webhooks/queries.ts'

/** Ends a webhook for good. One that is still sent to wants its host typed first. */
export function RemoveDialog({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const [typed, setTyped] = useState('')
  const { host } = new URL(webhook.url)
  const removal = useRemoval(webhook)
  return (
    <ConfirmDialog
      open
      danger
      title="Delete this webhook?"
      confirm="Delete the webhook"
      cancel="Keep it"
      busy={removal.isPending}
      disabled={webhook.enabled && typed.trim() !== host}
      onCancel={onClose}
      onConfirm={() => removal.mutate()}
    >
      <p className="font-medium break-words text-ink">{webhook.url}</p>
      <p>Nothing more is sent, and the log of what was sent is gone. This cannot be taken back.</p>
      {webhook.enabled && (
        <Field label={<span className="text-ink">Type “{host}” to go on</span>}>
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

/** The page is left before anything is asked for anew: what it shows is gone. */
function useRemoval({ id, url }: Webhook) {
  const { probity } = useScene()
  const navigate = useNavigate()
  const tell = useToasts()
  const refresh = useRefreshWebhooks()
  return useMutation({
    mutationFn: () => probity.webhooks.delete(id),
    onSuccess: async () => {
      await navigate({ to: '/webhooks' })
      tell.done(`The webhook to ${url} is deleted.`)
      await refresh()
    },
  })
}
