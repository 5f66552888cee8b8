import type { DELIVERY_STATUSES } from '@probity/contract/webhook-deliveries'

type DeliveryStatus = keyof typeof DELIVERY_STATUSES

/** Which deliveries of a webhook are shown, and which of them is open. */
export type WebhookSearch = { status?: DeliveryStatus; type?: string; skip?: number; delivery?: string }

/** In words, and in the order in which a delivery goes through them. */
export const STATUS_WORDS: Record<DeliveryStatus, string> = {
  pending: 'Pending',
  delivered: 'Delivered',
  failed: 'Failed',
}

const EVENT_TYPE = /^[a-z]+\.[a-z]+$/

/** What the service would refuse is left out, so that a link that was cut short shows everything and no error. */
export function readWebhookSearch({ status, type, skip, delivery }: Record<string, unknown>): WebhookSearch {
  return {
    ...(isDeliveryStatus(status) && { status }),
    ...(typeof type === 'string' && EVENT_TYPE.test(type) && { type }),
    ...(Number.isInteger(skip) && (skip as number) > 0 && { skip: skip as number }),
    ...(typeof delivery === 'string' && delivery !== '' && { delivery }),
  }
}

export function isDeliveryStatus(value: unknown): value is DeliveryStatus {
  return typeof value === 'string' && Object.hasOwn(STATUS_WORDS, value)
}
