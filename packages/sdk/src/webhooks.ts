import type {
  CallbackSecret,
  CreateWebhookRequest,
  RecoverWebhookDeliveriesRequest,
  RecoverWebhookDeliveriesResult,
  UpdateWebhookRequest,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookEvent,
  WebhookWithSecret,
} from './generated/api-types.ts'
import { listBySkip, type PageOptions, type PagePromise } from './http/pages.ts'
import { splitOptions, toBody } from './http/request-body.ts'
import type { ApiPromise } from './http/response.ts'
import { deleteObject, type IdempotentRequestOptions, type RequestOptions, type Transport } from './http/transport.ts'
import { type VerifyWebhookOptions, verifyWebhook } from './webhook-signature.ts'

export type WebhookSettings = {
  /** Event types to subscribe to; `['*']` for all, also future ones. Default for a new webhook: `['*']`. */
  events?: CreateWebhookRequest['events'] | undefined
  /** Text of your own. */
  description?: string | undefined
}

export type CreateWebhookOptions = IdempotentRequestOptions &
  WebhookSettings & {
    /** URL that receives the events. */
    url: string
  }

export type UpdateWebhookOptions = RequestOptions &
  WebhookSettings & {
    /** URL that receives the events. */
    url?: string | undefined
    /** Whether events are sent. */
    enabled?: boolean | undefined
  }

export type DeliveryFilter = {
  /** Only deliveries with this status. */
  status?: WebhookDelivery['status'] | undefined
  /** Only deliveries of this event type. */
  type?: string | undefined
}

export type RecoverDeliveriesOptions = IdempotentRequestOptions & {
  /** Only deliveries that failed at this time or later. */
  sinceAt: string | Date
}

/** Webhooks. Scopes: `webhooks:read`, and `webhooks:write` for changes. */
export type WebhooksApi = {
  /** Deliveries of events to webhooks. */
  readonly deliveries: WebhookDeliveriesApi
  /** The secret that signs requests to the `callbackUrl` of jobs, in the mode of the key. */
  readonly callbackSecret: CallbackSecretApi
  /** Webhooks, newest first. */
  list(options?: RequestOptions & PageOptions): PagePromise<Webhook>
  /** One webhook without its secret. */
  get(id: string, options?: RequestOptions): ApiPromise<Webhook>
  /** Creates a webhook. Its `secret` is not shown again. */
  create(options: CreateWebhookOptions): ApiPromise<WebhookWithSecret>
  /** Changes the given settings. */
  update(id: string, options: UpdateWebhookOptions): ApiPromise<Webhook>
  /** Deletes a webhook. */
  delete(id: string, options?: RequestOptions): ApiPromise<void>
  /** Creates a new secret and key pair. The previous ones also sign for a day. */
  rotateSecret(id: string, options?: IdempotentRequestOptions): ApiPromise<WebhookWithSecret>
  /** Sends a test event. */
  test(id: string, options?: IdempotentRequestOptions): ApiPromise<WebhookDelivery>
  /** Verifies a received webhook request and returns its event, as the function `verifyWebhook` does. */
  verify(options: VerifyWebhookOptions): Promise<WebhookEvent>
}

/** Deliveries of events to webhooks. */
export type WebhookDeliveriesApi = {
  /** Deliveries of a webhook, newest first. */
  list(webhookId: string, options?: RequestOptions & PageOptions & DeliveryFilter): PagePromise<WebhookDelivery>
  /** One delivery with its request and attempts. */
  get(webhookId: string, deliveryId: string, options?: RequestOptions): ApiPromise<WebhookDeliveryDetail>
  /** Resends a delivery, in any status. */
  resend(webhookId: string, deliveryId: string, options?: IdempotentRequestOptions): ApiPromise<WebhookDelivery>
  /** Resends all deliveries that failed since a time. */
  recover(webhookId: string, options: RecoverDeliveriesOptions): ApiPromise<RecoverWebhookDeliveriesResult>
}

/** The secret that signs requests to the `callbackUrl` of jobs, in the mode of the key. */
export type CallbackSecretApi = {
  /** The present callback secret. */
  get(options?: RequestOptions): ApiPromise<CallbackSecret>
  /** Creates a new callback secret. The previous one also signs for a day. */
  rotate(options?: IdempotentRequestOptions): ApiPromise<CallbackSecret>
}

const CALLBACK_SECRET = ['account', 'callback-secret']

export function createWebhooksApi(transport: Transport): WebhooksApi {
  const { request } = transport
  const pathOf = (...segments: string[]) => ['webhooks', ...segments]
  const post = <T>(path: string[], options: IdempotentRequestOptions = {}) =>
    request<T>({ ...options, method: 'POST', path })
  return {
    deliveries: createDeliveriesApi(transport),
    callbackSecret: {
      get: (options = {}) => request({ ...options, method: 'GET', path: CALLBACK_SECRET }),
      rotate: (options) => post([...CALLBACK_SECRET, 'rotate'], options),
    },
    list: (options = {}) => listBySkip(transport, pathOf(), options),
    get: (id, options = {}) => request({ ...options, method: 'GET', path: pathOf(id) }),
    create(options) {
      const { call, fields } = splitOptions(options)
      const json: CreateWebhookRequest = toBody(fields)
      return request({ ...call, method: 'POST', path: pathOf(), json })
    },
    update(id, options) {
      const { call, fields } = splitOptions(options)
      const json: UpdateWebhookRequest = toBody(fields)
      return request({ ...call, method: 'PATCH', path: pathOf(id), json })
    },
    delete: (id, options) => deleteObject(transport, pathOf(id), options),
    rotateSecret: (id, options) => post(pathOf(id, 'rotate'), options),
    test: (id, options) => post(pathOf(id, 'test'), options),
    verify: verifyWebhook,
  }
}

function createDeliveriesApi(transport: Transport): WebhookDeliveriesApi {
  const { request } = transport
  const pathOf = (webhookId: string, ...segments: string[]) => ['webhooks', webhookId, 'deliveries', ...segments]
  return {
    list: (webhookId, options = {}) => listBySkip(transport, pathOf(webhookId), options),
    get: (webhookId, deliveryId, options = {}) =>
      request({ ...options, method: 'GET', path: pathOf(webhookId, deliveryId) }),
    resend: (webhookId, deliveryId, options = {}) =>
      request({ ...options, method: 'POST', path: pathOf(webhookId, deliveryId, 'resend') }),
    recover(webhookId, options) {
      const { call, fields } = splitOptions(options)
      const json: RecoverWebhookDeliveriesRequest = toBody(fields)
      return request({ ...call, method: 'POST', path: ['webhooks', webhookId, 'recover'], json })
    },
  }
}
