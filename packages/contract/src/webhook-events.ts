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
