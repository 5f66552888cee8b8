import type { CallbackSecret } from '@probity/sdk'
import { useMutation } from '@tanstack/react-query'
import { Eye, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { asRequestFailed } from '../../../session/probity.ts'
import { useScene } from '../../../session/scene.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { formatDateTime } from '../../../ui/format.ts'
import { SecretField } from '../../../ui/SecretField.tsx'

/** The callback secret. Unlike a webhook signing secret, it can be shown again. */
export function CallbackSecretCard() {
  const [isOpen, setOpen] = useState(false)
  return (
    <Card title="Callbacks">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-soft">
          A list can have a <code>callback_url</code> that receives its final event. Callbacks are signed with the
          account’s callback secret.
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
      about="After a rotation, callbacks are also signed with the previous secret for 24 hours."
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
            The previous secret expires on {formatDateTime(shown.previous_secret_expires_at)}.
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
