import type { WebhookDelivery } from '@probity/sdk'

const DAY_MS = 86_400_000

export type SuccessRate = { delivered: number; ended: number }

/** How much of what ended within a day arrived. What is still being tried counts for neither side. */
export function successRate(
  deliveries: readonly Pick<WebhookDelivery, 'status' | 'finished_at'>[],
  now = Date.now(),
): SuccessRate {
  const ended = deliveries.filter(({ finished_at: at }) => at !== null && now - Date.parse(at) <= DAY_MS)
  return { ended: ended.length, delivered: ended.filter(({ status }) => status === 'delivered').length }
}
