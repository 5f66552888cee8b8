import type { DELIVERY_STATES } from '@probity/contract/webhook-deliveries'

type DeliveryState = keyof typeof DELIVERY_STATES

/** Which deliveries of a webhook are shown, and which of them is open. */
export type WebhookSearch = { state?: DeliveryState; type?: string; skip?: number; delivery?: string }

/** In words, and in the order in which a delivery goes through them. */
export const STATE_WORDS: Record<DeliveryState, string> = {
  pending: 'Pending',
  delivered: 'Delivered',
  failed: 'Failed',
}

const EVENT_TYPE = /^[a-z]+\.[a-z]+$/

/** What the service would refuse is left out, so that a link that was cut short shows everything and no error. */
export function readWebhookSearch({ state, type, skip, delivery }: Record<string, unknown>): WebhookSearch {
  return {
    ...(isState(state) && { state }),
    ...(typeof type === 'string' && EVENT_TYPE.test(type) && { type }),
    ...(Number.isInteger(skip) && (skip as number) > 0 && { skip: skip as number }),
    ...(typeof delivery === 'string' && delivery !== '' && { delivery }),
  }
}

export function isState(value: unknown): value is DeliveryState {
  return typeof value === 'string' && Object.hasOwn(STATE_WORDS, value)
}
