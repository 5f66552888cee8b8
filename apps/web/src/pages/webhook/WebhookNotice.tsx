import type { Webhook } from '@probity/sdk'
import { Button } from '../../ui/Button.tsx'
import { Callout } from '../../ui/Callout.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { whyDisabled } from '../webhooks/WebhookState.tsx'
import { useEnable } from './use-webhook-calls.ts'

/** Why nothing is sent, or that what is sent does not arrive. */
export function WebhookNotice({ webhook }: { webhook: Webhook }) {
  if (!webhook.enabled) return <Disabled webhook={webhook} />
  if (webhook.failing_since_at === null) return null
  return (
    <Callout kind="warning" title="Nothing arrives at this webhook">
      Every attempt has failed since <RelativeTime at={webhook.failing_since_at} />. Attempts continue; after five days
      without a success, the webhook is disabled. The deliveries below show the responses of the receiver.
    </Callout>
  )
}

function Disabled({ webhook }: { webhook: Webhook }) {
  const enable = useEnable(webhook)
  const { disabled_reason: reason, disabled_at: at } = webhook
  return (
    <Callout kind={reason === 'by_owner' ? 'info' : 'warning'} title="Nothing is sent to this webhook">
      <p>
        {whyDisabled(reason)}{' '}
        {at && (
          <>
            That was <RelativeTime at={at} />.{' '}
          </>
        )}
        What was on its way then has failed, and can be recovered once the webhook is enabled. What happens meanwhile is
        not sent.
      </p>
      <div className="mt-2">
        <Button size="sm" busy={enable.isPending} onClick={() => enable.mutate()}>
          Enable
        </Button>
      </div>
    </Callout>
  )
}
