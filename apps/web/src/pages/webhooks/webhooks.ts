import type { ALL_EVENTS as All, TEST_EVENT, WebhookEventType } from '@probity/contract/constants/webhooks'
import type { Webhook, WebhookDelivery } from '@probity/sdk'
import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { type Scene, useScene } from '../../session/workspace.ts'
import type { WebhookSearch } from './search.ts'

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

const DAY_MS = 86_400_000

type SuccessRate = { delivered: number; ended: number }

/** Delivered and completed deliveries of the last 24 hours. Pending ones are not counted. */
export function successRate(
  deliveries: readonly Pick<WebhookDelivery, 'status' | 'finished_at'>[],
  now = Date.now(),
): SuccessRate {
  const ended = deliveries.filter(({ finished_at: at }) => at !== null && now - Date.parse(at) <= DAY_MS)
  return { ended: ended.length, delivered: ended.filter(({ status }) => status === 'delivered').length }
}

export const EVENT_GROUPS = ['Lists', 'Single addresses', 'Account'] as const

type EventWords = { group: (typeof EVENT_GROUPS)[number]; about: string }

/** The events that a webhook can subscribe to. Types are shown as they are, since receivers read them. */
export const EVENT_WORDS: Record<Exclude<WebhookEventType, typeof TEST_EVENT>, EventWords> = {
  'job.created': { group: 'Lists', about: 'A list was confirmed.' },
  'job.paused': { group: 'Lists', about: 'A list was paused.' },
  'job.resumed': { group: 'Lists', about: 'A paused list was resumed.' },
  'job.completed': { group: 'Lists', about: 'Every address of a list has its result.' },
  'job.failed': { group: 'Lists', about: 'A list failed. Unused credits were released.' },
  'job.canceled': { group: 'Lists', about: 'A list was canceled.' },
  'validation.resolved': {
    group: 'Single addresses',
    about: 'A deferred validation has its final result. Contains the address.',
  },
  'credits.low': { group: 'Account', about: 'The credit balance dropped below the threshold.' },
  'key.created': { group: 'Account', about: 'An API key was created.' },
  'key.updated': { group: 'Account', about: 'The settings of an API key were changed.' },
  'key.rotated': { group: 'Account', about: 'An API key was rotated.' },
  'key.paused': { group: 'Account', about: 'An API key was paused.' },
  'key.resumed': { group: 'Account', about: 'A paused API key was resumed.' },
  'key.revoked': { group: 'Account', about: 'An API key was revoked.' },
  'key.expired': { group: 'Account', about: 'An API key expired.' },
  'webhook.disabled': { group: 'Account', about: 'Another webhook was disabled because it failed.' },
}

const TEST: typeof TEST_EVENT = 'webhook.test'

export const ALL_EVENTS: typeof All = '*'

/** Every type of event that a delivery can have. */
export const EVENT_TYPES: string[] = [...Object.keys(EVENT_WORDS), TEST]

export function isForAll(events: readonly string[]): boolean {
  return events.includes(ALL_EVENTS)
}

export function describeEvents(events: readonly string[]): string {
  return isForAll(events) ? 'All events' : events.join(', ')
}
