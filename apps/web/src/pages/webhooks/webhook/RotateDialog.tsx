import type { Webhook, WebhookWithSecret } from '@probity/sdk'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { useScene } from '../../../session/scene.ts'
import { Button } from '../../../ui/Button.tsx'
import { FormSummary } from '../../../ui/FormSummary.tsx'
import { SecretDialog } from '../../../ui/SecretDialog.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import { useRefreshWebhooks } from '../overview/queries.ts'
import { SECRET_ABOUT, WebhookSecret } from './WebhookSecret.tsx'

/** Creates a new signing secret. The previous one stays valid for 24 hours. */
export function RotateDialog({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const [made, setMade] = useState<WebhookWithSecret>()
  const refresh = useRefreshWebhooks()
  const words = made ? { title: 'New signing secret', about: SECRET_ABOUT } : { title: 'Rotate signing secret?' }
  const secret = made && ((onSaved: () => void) => <WebhookSecret made={made} onSaved={onSaved} />)
  const close = () => {
    if (made) void refresh()
    onClose()
  }
  return (
    <SecretDialog {...words} noun="secret" onClose={close} secret={secret}>
      <RotateForm webhook={webhook} onMade={setMade} onCancel={onClose} />
    </SecretDialog>
  )
}

type RotateFormProps = { webhook: Webhook; onMade(made: WebhookWithSecret): void; onCancel(): void }

function RotateForm({ webhook, onMade, onCancel }: RotateFormProps) {
  const { probity } = useScene()
  const form = useForm()
  // Bypasses the query cache, which would keep the secret.
  const submit = useSubmit(form, async () => onMade(await probity.webhooks.rotateSecret(webhook.id)))
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      <FormSummary form={form} />
      <p className="text-soft">
        Creates a new secret and a new key pair. For 24 hours every request is also signed with the previous ones, so
        that your endpoint can switch without losing events.
      </p>
      <div className="flex flex-wrap justify-end gap-2 border-t border-line pt-4">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="primary" busy={form.formState.isSubmitting}>
          Rotate secret
        </Button>
      </div>
    </form>
  )
}
