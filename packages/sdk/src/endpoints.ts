import type { Call } from './call.ts'
import type { CallOptions, Connection } from './connection.ts'
import type {
  Recovered,
  Recovery,
  Webhook,
  WebhookChanges,
  WebhookDelivery,
  WebhookToCreate,
  WebhookWithSecret,
  WholeWebhookDelivery,
} from './generated/wire.ts'
import { listAll, type PageOptions } from './pages.ts'

export type EndpointSettings = {
  /** What to be told of; an empty list is all of it. */
  events?: WebhookToCreate['events'] | undefined
  description?: string | undefined
}

export type CreateEndpointOptions = CallOptions & EndpointSettings & { url: string }
export type UpdateEndpointOptions = CallOptions &
  EndpointSettings & { url?: string | undefined; enabled?: boolean | undefined }

type Chosen = { state?: WebhookDelivery['state'] | undefined; type?: string | undefined }

/** Where events are sent, and what became of them. Needs a key with the scope `webhooks`. */
export type Endpoints = {
  /** One page, newest first. */
  list(options?: PageOptions): Call<Webhook[]>
  all(options?: CallOptions): AsyncGenerator<Webhook, void, undefined>
  get(id: string, options?: CallOptions): Call<Webhook>
  /** Has events sent to a URL. What signs them is in `secret`, and is shown this once. */
  create(options: CreateEndpointOptions): Call<WebhookWithSecret>
  /** Changes what is named and leaves the rest. */
  update(id: string, options: UpdateEndpointOptions): Call<Webhook>
  remove(id: string, options?: CallOptions): Call<void>
  /** Makes a new secret. The old one signs as well for a day. */
  rotate(id: string, options?: CallOptions): Call<WebhookWithSecret>
  /** Sends an event that says nothing, to see whether it arrives. */
  test(id: string, options?: CallOptions): Call<WebhookDelivery>
  /** One page of what was sent, newest first. */
  deliveries(id: string, options?: PageOptions & Chosen): Call<WebhookDelivery[]>
  allDeliveries(id: string, options?: CallOptions & Chosen): AsyncGenerator<WebhookDelivery, void, undefined>
  /** One delivery with what was sent and each try. */
  delivery(id: string, deliveryId: string, options?: CallOptions): Call<WholeWebhookDelivery>
  /** Sends it again, however it ended. */
  resend(id: string, deliveryId: string, options?: CallOptions): Call<WebhookDelivery>
  /** Sends everything again that failed since a time. */
  recover(id: string, options: CallOptions & { since: string | Date }): Call<Recovered>
}

export function endpointsOf({ ask }: Connection): Endpoints {
  const list = ({ skip, limit, ...options }: PageOptions = {}) =>
    ask<Webhook[]>({ ...options, method: 'GET', path: ['webhooks'], query: { skip, limit }, repeatable: true })
  const deliveries = (id: string, { skip, limit, state, type, ...options }: PageOptions & Chosen = {}) => {
    const query = { skip, limit, state, type }
    const path = ['webhooks', id, 'deliveries']
    return ask<WebhookDelivery[]>({ ...options, method: 'GET', path, query, repeatable: true })
  }
  const get = <T>(path: string[], options: CallOptions = {}) =>
    ask<T>({ ...options, method: 'GET', path: ['webhooks', ...path], repeatable: true })
  // Not sent twice: each would be an endpoint, a secret or an event of its own.
  const post = <T>(path: string[], options: CallOptions = {}, json?: object) =>
    ask<T>({ ...options, method: 'POST', path: ['webhooks', ...path], ...(json && { json }), repeatable: false })
  return {
    list,
    all: (options = {}) => listAll(list, options),
    get: (id, options) => get([id], options),
    create({ signal, timeoutMs, url, ...settings }) {
      const json: WebhookToCreate = { url, ...settingsOf(settings) }
      return post([], { signal, timeoutMs }, json)
    },
    update(id, { signal, timeoutMs, url, enabled, ...settings }) {
      const changed = { ...(url !== undefined && { url }), ...(enabled !== undefined && { enabled }) }
      const json: WebhookChanges = { ...changed, ...settingsOf(settings) }
      return ask({ signal, timeoutMs, method: 'PATCH', path: ['webhooks', id], json, repeatable: true })
    },
    // Not sent twice: the second would be told that there is no such endpoint.
    remove: (id, options = {}) => ask({ ...options, method: 'DELETE', path: ['webhooks', id], repeatable: false }),
    rotate: (id, options) => post([id, 'rotate'], options),
    test: (id, options) => post([id, 'test'], options),
    deliveries,
    allDeliveries: (id, { state, type, ...options } = {}) =>
      listAll((page) => deliveries(id, { ...page, state, type }), options),
    delivery: (id, deliveryId, options) => get([id, 'deliveries', deliveryId], options),
    resend: (id, deliveryId, options) => post([id, 'deliveries', deliveryId, 'resend'], options),
    recover(id, { signal, timeoutMs, since }) {
      const json: Recovery = { since: since instanceof Date ? since.toISOString() : since }
      return post([id, 'recover'], { signal, timeoutMs }, json)
    },
  }
}

/** As it goes over the wire. What is left out stays out. */
function settingsOf({ events, description }: EndpointSettings) {
  return { ...(events !== undefined && { events }), ...(description !== undefined && { description }) }
}
