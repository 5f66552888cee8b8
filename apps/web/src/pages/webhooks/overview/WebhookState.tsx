import type { Webhook } from '@probity/sdk'
import { Ban, CircleCheck, CirclePause, TriangleAlert } from 'lucide-react'
import { Badge } from '../../../ui/Badge.tsx'

type State = Pick<Webhook, 'enabled' | 'disabled_reason' | 'failing_since_at'>

/** Whether a webhook is enabled, failing or disabled. */
export function WebhookState({
  of: { enabled, disabled_reason: reason, failing_since_at: failingSince },
}: {
  of: State
}) {
  if (!enabled) {
    const isChosen = reason === 'by_owner'
    const Icon = isChosen ? CirclePause : Ban
    return (
      <Badge tone={isChosen ? 'unknown' : 'invalid'} icon={<Icon aria-hidden="true" />}>
        Disabled
      </Badge>
    )
  }
  if (failingSince !== null) {
    return (
      <Badge tone="risky" icon={<TriangleAlert aria-hidden="true" />}>
        Failing
      </Badge>
    )
  }
  return (
    <Badge tone="valid" icon={<CircleCheck aria-hidden="true" />}>
      Enabled
    </Badge>
  )
}

const REASONS: Record<string, string> = {
  by_owner: 'Disabled by a member.',
  gone: 'The endpoint returned 410 Gone.',
  failing: 'All deliveries failed for five days.',
}

/** Why a webhook is disabled. Reasons are an extensible enum. */
export function whyDisabled(reason: string | null): string {
  return REASONS[reason ?? ''] ?? `Disabled: ${reason ?? 'unknown reason'}.`
}
