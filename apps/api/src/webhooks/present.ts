import type { Delivery as ShownDelivery, WholeDelivery as ShownWhole } from '@probity/contract/webhook-deliveries'
import { eventName, sentHeaders } from '@probity/contract/webhook-request'
import type { Webhook as ShownWebhook } from '@probity/contract/webhooks'
import type { Delivery, Resent, WholeDelivery } from '@probity/database/webhook-deliveries'
import type { Webhook } from '@probity/database/webhooks'
import { Problem } from '../problem.ts'

/** A webhook as callers see it. */
export function presentWebhook(webhook: Webhook): ShownWebhook {
  return {
    id: webhook.id,
    url: webhook.url,
    description: webhook.description,
    mode: webhook.mode,
    events: webhook.events,
    enabled: webhook.state === 'enabled',
    disabled_reason: webhook.disabledReason,
    disabled_at: webhook.disabledAt?.toISOString() ?? null,
    failing_since: webhook.failingSince?.toISOString() ?? null,
    previous_secret_until: webhook.previousUntil?.toISOString() ?? null,
    created_at: webhook.createdAt.toISOString(),
  }
}

export function presentDelivery(delivery: Delivery): ShownDelivery {
  return {
    id: delivery.id,
    webhook_id: delivery.endpointId,
    event_id: eventName(delivery.eventId),
    type: delivery.type,
    state: delivery.state,
    attempts: delivery.attempts,
    next_at: delivery.nextAt?.toISOString() ?? null,
    created_at: delivery.createdAt.toISOString(),
    finished_at: delivery.finishedAt?.toISOString() ?? null,
  }
}

export function presentWhole(delivery: WholeDelivery): ShownWhole {
  const last = delivery.tried.at(-1)
  return {
    ...presentDelivery(delivery),
    request: { headers: last ? sentHeaders({ eventId: delivery.eventId, ...last }) : {}, body: delivery.body },
    tries: delivery.tried.map(({ signedAt, status, error, durationMs }) => ({
      at: signedAt.toISOString(),
      status,
      error,
      duration_ms: durationMs,
    })),
  }
}

/** How many are sent; throws where none can be. */
export function countSent(resent: Resent): number {
  switch (resent.kind) {
    case 'sent':
      return resent.count
    case 'missing':
      throw new Problem('not_found')
    case 'disabled':
      throw new Problem('webhook_disabled')
    case 'removed':
      throw new Problem('event_removed')
  }
}
