/** All event types, with the meaning of each and its `data`. */
export const WEBHOOK_EVENTS = {
  'job.created': 'a job was created from an upload; `data` is the job.',
  'job.paused': 'a job was paused, by a request or for a review; `data` is the job.',
  'job.resumed': 'a paused job was resumed; `data` is the job.',
  'job.completed': 'every address of a job has its result; `data` is the job.',
  'job.failed': 'a job failed and its unused credits were released; `data` is the job.',
  'job.canceled': 'a job was canceled and its unused credits were released; `data` is the job.',
  'validation.resolved':
    'a deferred validation, whose result had `retry_at`, has its final result; `data` is that result and contains the address.',
  'credits.low': 'the balance fell below the low-credit threshold; `data` has `available`, `threshold` and `reserved`.',
  'key.created': 'an API key was created; `data` is the key without its secret.',
  'key.updated': 'the settings of an API key were changed; `data` is the key without its secret.',
  'key.rotated':
    'an API key was rotated; `data` is the rotated key without its secret, and `replaced_by_key_id` is the new key.',
  'key.paused': 'an API key was paused; `data` is the key without its secret.',
  'key.resumed': 'a paused API key was resumed; `data` is the key without its secret.',
  'key.revoked': 'an API key was revoked; `data` is the key without its secret.',
  'key.expired': 'an API key expired, at most a few minutes ago; `data` is the key without its secret.',
  'webhook.disabled':
    'a webhook was disabled because it responded with 410 or failed for five days; `data` has its `id`, `url` and the `reason`.',
  'webhook.test': 'a test event was requested for one webhook; `data` has its `id` and `description`.',
} as const satisfies Record<string, string>

export type WebhookEventType = keyof typeof WEBHOOK_EVENTS

export const WEBHOOK_EVENT_TYPES = Object.keys(WEBHOOK_EVENTS) as WebhookEventType[]

/** Sent on request to one webhook, whatever it subscribes to. */
export const TEST_EVENT = 'webhook.test' satisfies WebhookEventType

/** Subscribes a webhook to all events, including types that are added later. */
export const ALL_EVENTS = '*'

export type Subscription = typeof ALL_EVENTS | Exclude<WebhookEventType, typeof TEST_EVENT>

export const SUBSCRIPTIONS: Subscription[] = [
  ALL_EVENTS,
  ...WEBHOOK_EVENT_TYPES.filter((type): type is Exclude<WebhookEventType, typeof TEST_EVENT> => type !== TEST_EVENT),
]

/** The version of the API that an event's `data` follows. */
export const API_VERSION = 'v1'

/** Why a webhook is disabled. */
export const DISABLED_REASONS = {
  by_owner: 'a request disabled it.',
  gone: 'it responded with 410.',
  failing: 'it failed for five days without a success.',
} as const satisfies Record<string, string>

export const DELIVERY_STATUSES = {
  pending: 'an attempt is in progress or scheduled for `retry_at`.',
  delivered: 'an attempt received a 2xx response.',
  failed: 'no further attempt is made: ten attempts failed, the webhook was disabled, or the event has expired.',
} as const satisfies Record<string, string>

export type DeliveryStatus = keyof typeof DELIVERY_STATUSES

/** Why an attempt got no response. */
export const DELIVERY_ERRORS = {
  dns_failed: 'the DNS lookup of the host failed.',
  no_address: 'the host has no IP address.',
  not_routable: 'the host has no public IP address.',
  refused: 'the connection was refused.',
  unreachable: 'the connection could not be established.',
  timeout: 'the response was not complete after 15 seconds.',
  tls_failed: 'the host has no valid certificate for its name.',
  connection_lost: 'the connection was closed before the response.',
  not_http: 'the response was not HTTP.',
  url_refused: 'the URL violates the rules for webhook URLs.',
  event_expired: 'the body of the event has been deleted.',
  not_finished: 'attempts were interrupted repeatedly on our side.',
} as const satisfies Record<string, string>

export type DeliveryError = keyof typeof DELIVERY_ERRORS

/** The public id of an event, the same in every attempt, so that receivers can ignore duplicates. */
export function eventName(eventId: string): string {
  return `evt_${eventId}`
}

/** The headers that are the same in every webhook request. */
export const WEBHOOK_HEADERS = { 'content-type': 'application/json', 'user-agent': 'Probity-Webhooks/1' } as const

/** The headers of one attempt, as Standard Webhooks names them. */
export function sentHeaders({ eventId, signedAt, signature }: { eventId: string; signedAt: Date; signature: string }) {
  return {
    ...WEBHOOK_HEADERS,
    'webhook-id': eventName(eventId),
    'webhook-timestamp': timestampOf(signedAt),
    'webhook-signature': signature,
  }
}

/** Unix time in whole seconds. */
export function timestampOf(signedAt: Date): string {
  return String(Math.floor(signedAt.getTime() / 1000))
}
