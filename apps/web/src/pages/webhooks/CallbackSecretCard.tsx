import type { CallbackSecret } from '@probity/sdk'
import { useMutation } from '@tanstack/react-query'
import { Eye, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { asRequestFailed } from '../../api/probity.ts'
import { useScene } from '../../session/scene.ts'
import { Button } from '../../ui/Button.tsx'
import { Callout } from '../../ui/Callout.tsx'
import { Card } from '../../ui/Card.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { formatDateTime } from '../../ui/format.ts'
import { SecretField } from '../../ui/SecretField.tsx'

/** The secret that signs the callbacks of lists. Unlike the secret of a webhook, it can be shown again. */
export function CallbackSecretCard() {
  const [isOpen, setOpen] = useState(false)
  return (
    <Card title="Callbacks">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-soft">
          A list can have a <code>callback_url</code>, which receives the event that ends it. Callbacks are signed with
          the callback secret of the account.
        </p>
        <Button size="sm" icon={<Eye className="size-4" aria-hidden="true" />} onClick={() => setOpen(true)}>
          Show callback secret
        </Button>
      </div>
      {isOpen && <CallbackSecretDialog onClose={() => setOpen(false)} />}
    </Card>
  )
}

/** The secret is in the state of this component only, not in the query cache. */
function CallbackSecretDialog({ onClose }: { onClose(): void }) {
  const { webhooks } = useScene().probity
  const [shown, setShown] = useState<CallbackSecret>()
  const show = useMutation({ mutationFn: async () => setShown(await webhooks.callbackSecret.get()) })
  const rotate = useMutation({ mutationFn: async () => setShown(await webhooks.callbackSecret.rotate()) })
  const error = show.error ?? rotate.error
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="Callback secret"
      about="After a rotation, the previous secret also signs for 24 hours."
    >
      <div className="flex flex-col gap-5">
        {error && (
          <Callout kind="error" live>
            {asRequestFailed(error).message}
          </Callout>
        )}
        {shown && <SecretField key={shown.secret} label="Callback secret" noun="secret" value={shown.secret} />}
        {shown?.previous_secret_expires_at && (
          <p className="text-soft">
            The previous secret signs until {formatDateTime(shown.previous_secret_expires_at)}.
          </p>
        )}
        <div className="flex flex-wrap justify-end gap-2 border-t border-line pt-4">
          <Button
            busy={rotate.isPending}
            icon={<RotateCw className="size-4" aria-hidden="true" />}
            onClick={() => rotate.mutate()}
          >
            Rotate secret
          </Button>
          {shown === undefined && (
            <Button look="primary" busy={show.isPending} onClick={() => show.mutate()}>
              Show secret
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  )
}
