import type { WebhookDelivery } from '@probity/sdk'
import { CircleCheck, CircleX, Clock, RotateCw } from 'lucide-react'
import { Badge } from '../../ui/Badge.tsx'
import { isState, STATE_WORDS } from './webhook-search.ts'

const LOOKS = {
  pending: { tone: 'accent', Icon: Clock },
  delivered: { tone: 'valid', Icon: CircleCheck },
  failed: { tone: 'invalid', Icon: CircleX },
} as const

/** How far a delivery has got. The states are an open list. */
export function DeliveryBadge({ of: { state, attempts } }: { of: Pick<WebhookDelivery, 'state' | 'attempts'> }) {
  if (state === 'pending' && attempts > 0) {
    return (
      <Badge tone="risky" icon={<RotateCw aria-hidden="true" />}>
        Trying again
      </Badge>
    )
  }
  if (!isState(state)) return <Badge>{state}</Badge>
  const { tone, Icon } = LOOKS[state]
  return (
    <Badge tone={tone} icon={<Icon aria-hidden="true" />}>
      {STATE_WORDS[state]}
    </Badge>
  )
}
