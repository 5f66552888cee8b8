import type { WebhookWithSecret } from '@probity/sdk'
import { SecretField } from '../../ui/SecretField.tsx'

/** The secret of a webhook. Lives in the state of the component that shows it and nowhere else. */
export function WebhookSecret({ made, onSaved }: { made: WebhookWithSecret; onSaved(): void }) {
  return (
    <div className="flex flex-col gap-3">
      <SecretField label={`Secret of ${made.url}`} noun="secret" value={made.secret} onSaved={onSaved} />
      <p className="text-soft">
        Every request is signed with it, as Standard Webhooks defines: verify the signature before you parse the body.
      </p>
    </div>
  )
}

export const SECRET_ABOUT = 'Save it now: it is shown this once. If it is lost, rotate it.'
