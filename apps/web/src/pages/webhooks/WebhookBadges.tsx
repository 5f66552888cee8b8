import type { Webhook, WebhookDelivery } from '@probity/sdk'
import { Ban, CircleCheck, CirclePause, CircleX, Clock, RotateCw, TriangleAlert } from 'lucide-react'
import { Badge } from '../../ui/Badge.tsx'
import { isDeliveryStatus, STATUS_WORDS } from './search.ts'

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

const LOOKS = {
  pending: { tone: 'accent', Icon: Clock },
  delivered: { tone: 'valid', Icon: CircleCheck },
  failed: { tone: 'invalid', Icon: CircleX },
} as const

type BadgeFields = Pick<WebhookDelivery, 'status' | 'attempt_count'>

/** The status of a delivery. Values may be added. */
export function DeliveryBadge({ of: { status, attempt_count: attempts } }: { of: BadgeFields }) {
  if (status === 'pending' && attempts > 0) {
    return (
      <Badge tone="risky" icon={<RotateCw aria-hidden="true" />}>
        Retrying
      </Badge>
    )
  }
  if (!isDeliveryStatus(status)) return <Badge>{status}</Badge>
  const { tone, Icon } = LOOKS[status]
  return (
    <Badge tone={tone} icon={<Icon aria-hidden="true" />}>
      {STATUS_WORDS[status]}
    </Badge>
  )
}
