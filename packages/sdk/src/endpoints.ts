import type { Call } from './call.ts'
import type { CallOptions, Connection, IdempotentCallOptions } from './connection.ts'
import type {
  CallbackSecret,
  CreateWebhookRequest,
  RecoverWebhookDeliveriesRequest,
  RecoverWebhookDeliveriesResult,
  UpdateWebhookRequest,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookWithSecret,
} from './generated/wire.ts'
import { listAll, type PageOptions } from './pages.ts'

export type EndpointSettings = {
  /** The event types to subscribe to; `['*']` is all of them, and the default of a new webhook. */
  events?: CreateWebhookRequest['events'] | undefined
  description?: string | undefined
}

export type CreateEndpointOptions = IdempotentCallOptions & EndpointSettings & { url: string }
export type UpdateEndpointOptions = CallOptions &
  EndpointSettings & { url?: string | undefined; enabled?: boolean | undefined }

type DeliveryFilter = { status?: WebhookDelivery['status'] | undefined; type?: string | undefined }

/** Webhooks and their deliveries. Scopes: `webhooks:read`, and `webhooks:write` for changes. */
export type Endpoints = {
  /** One page, newest first. */
  list(options?: PageOptions): Call<Webhook[]>
  all(options?: CallOptions): AsyncGenerator<Webhook, void, undefined>
  get(id: string, options?: CallOptions): Call<Webhook>
  /** Creates a webhook. The response contains its `secret`, which is shown once. */
  create(options: CreateEndpointOptions): Call<WebhookWithSecret>
  /** Changes the fields that are named. */
  update(id: string, options: UpdateEndpointOptions): Call<Webhook>
  remove(id: string, options?: CallOptions): Call<void>
  /** Creates a new secret and key pair. The previous ones also sign for a day. */
  rotate(id: string, options?: IdempotentCallOptions): Call<WebhookWithSecret>
  /** Sends a test event. */
  test(id: string, options?: IdempotentCallOptions): Call<WebhookDelivery>
  /** One page of deliveries, newest first. */
  deliveries(id: string, options?: PageOptions & DeliveryFilter): Call<WebhookDelivery[]>
  allDeliveries(id: string, options?: CallOptions & DeliveryFilter): AsyncGenerator<WebhookDelivery, void, undefined>
  /** One delivery with its request and attempts. */
  delivery(id: string, deliveryId: string, options?: CallOptions): Call<WebhookDeliveryDetail>
  /** Resends a delivery, in any status. */
  resend(id: string, deliveryId: string, options?: IdempotentCallOptions): Call<WebhookDelivery>
  /** Resends all failed deliveries since a time. */
  recover(id: string, options: IdempotentCallOptions & { sinceAt: string | Date }): Call<RecoverWebhookDeliveriesResult>
  /** The secret that signs the callbacks of jobs, in the mode of the key. */
  callbackSecret(options?: CallOptions): Call<CallbackSecret>
  /** Creates a new callback secret. The previous one also signs for a day. */
  rotateCallbackSecret(options?: IdempotentCallOptions): Call<CallbackSecret>
}

const CALLBACK_SECRET = ['account', 'callback-secret']

export function endpointsOf({ ask }: Connection): Endpoints {
  const list = ({ skip, limit, ...options }: PageOptions = {}) =>
    ask<Webhook[]>({ ...options, method: 'GET', path: ['webhooks'], query: { skip, limit }, repeatable: true })
  const deliveries = (id: string, { skip, limit, status, type, ...options }: PageOptions & DeliveryFilter = {}) => {
    const query = { skip, limit, status, type }
    const path = ['webhooks', id, 'deliveries']
    return ask<WebhookDelivery[]>({ ...options, method: 'GET', path, query, repeatable: true })
  }
  const get = <T>(path: string[], options: CallOptions = {}) =>
    ask<T>({ ...options, method: 'GET', path: ['webhooks', ...path], repeatable: true })
  const post = <T>(path: string[], { idempotencyKey, ...options }: IdempotentCallOptions = {}, json?: object) => {
    const wish = { method: 'POST', path: ['webhooks', ...path], repeatable: { idempotencyKey } } as const
    return ask<T>({ ...options, ...wish, ...(json && { json }) })
  }
  return {
    list,
    all: (options = {}) => listAll(list, options),
    get: (id, options) => get([id], options),
    create({ signal, timeoutMs, idempotencyKey, url, ...settings }) {
      const json: CreateWebhookRequest = { url, ...settingsOf(settings) }
      return post([], { signal, timeoutMs, idempotencyKey }, json)
    },
    update(id, { signal, timeoutMs, url, enabled, ...settings }) {
      const changed = { ...(url !== undefined && { url }), ...(enabled !== undefined && { enabled }) }
      const json: UpdateWebhookRequest = { ...changed, ...settingsOf(settings) }
      return ask({ signal, timeoutMs, method: 'PATCH', path: ['webhooks', id], json, repeatable: true })
    },
    // Not retried: the second response would be 404.
    remove: (id, options = {}) => ask({ ...options, method: 'DELETE', path: ['webhooks', id], repeatable: false }),
    rotate: (id, options) => post([id, 'rotate'], options),
    test: (id, options) => post([id, 'test'], options),
    deliveries,
    allDeliveries: (id, { status, type, ...options } = {}) =>
      listAll((page) => deliveries(id, { ...page, status, type }), options),
    delivery: (id, deliveryId, options) => get([id, 'deliveries', deliveryId], options),
    resend: (id, deliveryId, options) => post([id, 'deliveries', deliveryId, 'resend'], options),
    recover(id, { signal, timeoutMs, idempotencyKey, sinceAt }) {
      const json: RecoverWebhookDeliveriesRequest = {
        since_at: sinceAt instanceof Date ? sinceAt.toISOString() : sinceAt,
      }
      return post([id, 'recover'], { signal, timeoutMs, idempotencyKey }, json)
    },
    callbackSecret: (options = {}) => ask({ ...options, method: 'GET', path: CALLBACK_SECRET, repeatable: true }),
    rotateCallbackSecret: ({ idempotencyKey, ...options } = {}) =>
      ask({ ...options, method: 'POST', path: [...CALLBACK_SECRET, 'rotate'], repeatable: { idempotencyKey } }),
  }
}

/** As it goes over the wire. What is left out stays out. */
function settingsOf({ events, description }: EndpointSettings) {
  return { ...(events !== undefined && { events }), ...(description !== undefined && { description }) }
}
