import type { WebhookWithSecret } from '@probity/sdk'
import { useScene } from '../../../session/scene.ts'
import { SecretDialog } from '../../../ui/SecretDialog.tsx'
import { SECRET_ABOUT, WebhookSecret } from '../webhook/WebhookSecret.tsx'
import { WebhookForm } from './WebhookForm.tsx'

type CreateDialogProps = {
  made: WebhookWithSecret | undefined
  onMade(made: WebhookWithSecret): void
  onClose(): void
}

/** From the form to the secret. */
export function CreateDialog({ made, onMade, onClose }: CreateDialogProps) {
  const { probity } = useScene()
  const words = made ? { title: 'Your new webhook', about: SECRET_ABOUT } : { title: 'Create a webhook' }
  const secret = made && ((onSaved: () => void) => <WebhookSecret made={made} onSaved={onSaved} />)
  return (
    <SecretDialog {...words} noun="secret" onClose={onClose} secret={secret}>
      <WebhookForm
        word="Create webhook"
        onCancel={onClose}
        // Bypasses the query cache, which would keep the secret.
        onSend={async (settings) => onMade(await probity.webhooks.create(settings))}
      />
    </SecretDialog>
  )
}
