import type { Webhook, WebhookDelivery } from '@probity/sdk'
import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { type Scene, useScene } from '../../../session/scene.ts'
import type { WebhookSearch } from '../webhook/webhook-search.ts'
import { successRate } from './success-rate.ts'

export const DELIVERIES_PER_PAGE = 20
/** A webhook can be disabled by a response of its endpoint, so the page polls its state. */
const WEBHOOK_REFRESH_MS = 5_000
const DUE_REFRESH_MS = 2_000
const WAITING_REFRESH_MS = 30_000

const webhooksKey = ({ key }: Scene) => [...key, 'webhooks'] as const
const webhookKey = (scene: Scene, id: string) => [...webhooksKey(scene), id] as const

/** All webhooks of this mode, newest first. An account has few. */
export function webhooksQuery(scene: Scene) {
  return queryOptions({
    queryKey: [...webhooksKey(scene), 'all'],
    queryFn: async ({ signal }) => {
      const webhooks: Webhook[] = []
      for await (const one of scene.probity.webhooks.list({ signal })) webhooks.push(one)
      return webhooks
    },
  })
}

export function webhookQuery(scene: Scene, id: string) {
  return queryOptions({
    queryKey: [...webhookKey(scene, id), 'settings'],
    queryFn: ({ signal }) => scene.probity.webhooks.get(id, { signal }),
    refetchInterval: WEBHOOK_REFRESH_MS,
  })
}

/** The page size limit of the API. */
export const LATELY_MAX = 100

/** The newest delivery, or null, and the success rate of the last 24 hours. */
export function latelyQuery(scene: Scene, id: string) {
  return queryOptions({
    queryKey: [...webhookKey(scene, id), 'lately'],
    queryFn: async ({ signal }) => {
      const { data } = await scene.probity.webhooks.deliveries.list(id, { limit: LATELY_MAX, signal })
      return { last: data[0] ?? null, rate: successRate(data) }
    },
  })
}

export function deliveriesQuery(scene: Scene, id: string, { status, type, skip = 0 }: WebhookSearch) {
  return queryOptions({
    queryKey: [...webhookKey(scene, id), 'deliveries', { status, type, skip }],
    queryFn: async ({ signal }) => {
      const call = scene.probity.webhooks.deliveries.list(id, {
        status,
        type,
        skip,
        limit: DELIVERIES_PER_PAGE,
        signal,
      })
      const { data, total } = await call
      return { deliveries: data, total: total ?? data.length }
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => refreshMs(data?.deliveries ?? []),
  })
}

export function deliveryQuery(scene: Scene, id: string, deliveryId: string) {
  return queryOptions({
    queryKey: [...webhookKey(scene, id), 'delivery', deliveryId],
    queryFn: ({ signal }) => scene.probity.webhooks.deliveries.get(id, deliveryId, { signal }),
    refetchInterval: ({ state: { data } }) => refreshMs(data ? [data] : []),
  })
}

/** Short while an attempt is due, longer while it is hours away; false without a pending delivery. */
export function refreshMs(
  deliveries: Pick<WebhookDelivery, 'status' | 'retry_at'>[],
  now = Date.now(),
): number | false {
  const pending = deliveries.filter(({ status }) => status === 'pending')
  if (pending.length === 0) return false
  const isDue = pending.some(({ retry_at: at }) => at === null || Date.parse(at) - now < WAITING_REFRESH_MS)
  return isDue ? DUE_REFRESH_MS : WAITING_REFRESH_MS
}

/** Refetches all webhook queries. */
export function useRefreshWebhooks(): () => Promise<void> {
  const scene = useScene()
  const queryClient = useQueryClient()
  return useCallback(() => queryClient.invalidateQueries({ queryKey: webhooksKey(scene) }), [scene, queryClient])
}
