import type { WebhookDelivery } from '@probity/sdk'

const DAY_MS = 86_400_000

export type SuccessRate = { delivered: number; ended: number }

/** Delivered and completed deliveries of the last 24 hours. Pending ones are not counted. */
export function successRate(
  deliveries: readonly Pick<WebhookDelivery, 'status' | 'finished_at'>[],
  now = Date.now(),
): SuccessRate {
  const ended = deliveries.filter(({ finished_at: at }) => at !== null && now - Date.parse(at) <= DAY_MS)
  return { ended: ended.length, delivered: ended.filter(({ status }) => status === 'delivered').length }
}
