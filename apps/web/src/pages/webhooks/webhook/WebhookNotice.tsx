import type { Webhook } from '@probity/sdk'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { formatDateTime } from '../../../ui/format.ts'
import { whyDisabled } from '../overview/WebhookState.tsx'
import { useEnable } from './use-webhook-calls.ts'

/** Why no events are sent, or that deliveries fail. */
export function WebhookNotice({ webhook }: { webhook: Webhook }) {
  if (!webhook.enabled) return <Disabled webhook={webhook} />
  if (webhook.failing_since_at === null) return null
  return (
    <Callout kind="warning" title="Deliveries to this webhook are failing">
      All attempts have failed since {formatDateTime(webhook.failing_since_at)}. Retries continue. After five days of
      continuous failures, the webhook is disabled. The deliveries below show the responses of your endpoint.
    </Callout>
  )
}

function Disabled({ webhook }: { webhook: Webhook }) {
  const enable = useEnable(webhook)
  const { disabled_reason: reason, disabled_at: at } = webhook
  return (
    <Callout kind={reason === 'by_owner' ? 'info' : 'warning'} title="This webhook is disabled">
      <p>
        {whyDisabled(reason)} {at && `Disabled on ${formatDateTime(at)}. `}
        Pending deliveries failed. You can resend them after you enable the webhook. Events that occur while it is
        disabled are not delivered.
      </p>
      <div className="mt-2">
        <Button size="sm" busy={enable.isPending} onClick={() => enable.mutate()}>
          Enable webhook
        </Button>
      </div>
    </Callout>
  )
}
