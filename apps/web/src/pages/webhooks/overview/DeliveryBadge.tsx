import type { WebhookDelivery } from '@probity/sdk'
import { CircleCheck, CircleX, Clock, RotateCw } from 'lucide-react'
import { Badge } from '../../../ui/Badge.tsx'
import { isDeliveryStatus, STATUS_WORDS } from '../webhook/webhook-search.ts'

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
