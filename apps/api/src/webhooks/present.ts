import { eventName, sentHeaders } from '@probity/contract/constants/webhooks'
import type {
  Delivery as ShownDelivery,
  DeliveryDetail as ShownWhole,
} from '@probity/contract/schemas/webhooks/deliveries'
import type { Webhook as ShownWebhook } from '@probity/contract/schemas/webhooks/endpoints'
import type { View } from '@probity/database/connection/scope'
import type { Delivery, Resent, WholeDelivery } from '@probity/database/webhooks/deliveries'
import type { CallbackSecret, Webhook } from '@probity/database/webhooks/webhooks'
import { Problem } from '../http/problem.ts'

/** A webhook as the API shows it. */
export function presentWebhook(webhook: Webhook): ShownWebhook {
  return {
    id: webhook.id,
    url: webhook.url,
    description: webhook.description,
    livemode: webhook.mode === 'live',
    events: webhook.events,
    enabled: webhook.state === 'enabled',
    disabled_reason: webhook.disabledReason,
    disabled_at: webhook.disabledAt?.toISOString() ?? null,
    failing_since_at: webhook.failingSince?.toISOString() ?? null,
    previous_secret_expires_at: webhook.previousUntil?.toISOString() ?? null,
    public_key: webhook.publicKey,
    created_at: webhook.createdAt.toISOString(),
  }
}

export function presentDelivery(delivery: Delivery): ShownDelivery {
  return {
    id: delivery.id,
    webhook_id: delivery.endpointId,
    event_id: eventName(delivery.eventId),
    type: delivery.type,
    status: delivery.state,
    attempt_count: delivery.attempts,
    retry_at: delivery.nextAt?.toISOString() ?? null,
    created_at: delivery.createdAt.toISOString(),
    finished_at: delivery.finishedAt?.toISOString() ?? null,
  }
}

export function presentWhole(delivery: WholeDelivery): ShownWhole {
  const last = delivery.tried.at(-1)
  return {
    ...presentDelivery(delivery),
    request: { headers: last ? sentHeaders({ eventId: delivery.eventId, ...last }) : {}, body: delivery.body },
    attempts: delivery.tried.map(({ signedAt, status, error, durationMs }) => ({
      attempted_at: signedAt.toISOString(),
      http_status: status,
      error,
      duration_ms: durationMs,
    })),
  }
}

/** The delivery of a job's callback, which belongs to no webhook. */
export function presentCallback(delivery: WholeDelivery): ShownWhole {
  return { ...presentWhole(delivery), webhook_id: null }
}

export function presentCallbackSecret({ secret, previousUntil, createdAt }: CallbackSecret, mode: View['mode']) {
  return {
    secret,
    previous_secret_expires_at: previousUntil?.toISOString() ?? null,
    created_at: createdAt.toISOString(),
    livemode: mode === 'live',
  }
}

/** The number of resent deliveries; throws if none can be resent. */
export function countSent(resent: Resent): number {
  switch (resent.kind) {
    case 'sent':
      return resent.count
    case 'missing':
      throw new Problem('not_found')
    case 'disabled':
      throw new Problem('webhook_disabled')
    case 'removed':
      throw new Problem('event_expired')
  }
}
