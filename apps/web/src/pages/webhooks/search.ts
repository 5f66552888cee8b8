import type { DELIVERY_STATUSES } from '@probity/contract/constants/webhooks'

type DeliveryStatus = keyof typeof DELIVERY_STATUSES

/** Filters and the open delivery. */
export type WebhookSearch = { status?: DeliveryStatus; type?: string; skip?: number; delivery?: string }

/** Labels of delivery statuses, in chronological order. */
export const STATUS_WORDS: Record<DeliveryStatus, string> = {
  pending: 'Pending',
  delivered: 'Delivered',
  failed: 'Failed',
}

const EVENT_TYPE = /^[a-z]+\.[a-z]+$/

/** Drops values that the API would reject, so that a truncated link shows all deliveries instead of an error. */
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

/** Whether the form for a new webhook is open. */
type WebhooksSearch = { create?: true | undefined }

export function readWebhooksSearch({ create }: Record<string, unknown>): WebhooksSearch {
  return create === true ? { create } : {}
}
