import type { WebhookWithSecret } from '@probity/sdk'
import { SecretField } from '../../../ui/SecretField.tsx'

/** The signing secret. Kept only in the state of the component that shows it. */
export function WebhookSecret({ made, onSaved }: { made: WebhookWithSecret; onSaved(): void }) {
  return (
    <div className="flex flex-col gap-3">
      <SecretField label={`Signing secret for ${made.url}`} noun="secret" value={made.secret} onSaved={onSaved} />
      <p className="text-soft">
        Every request is signed as defined by Standard Webhooks. Verify the signature before you parse the body.
      </p>
    </div>
  )
}

export const SECRET_ABOUT = 'Save the signing secret now. It is shown only once. If you lose it, rotate it.'
