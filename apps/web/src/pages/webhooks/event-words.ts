import type { TEST_EVENT, WebhookEventType } from '@probity/contract/webhook-events'

export const EVENT_GROUPS = ['Lists', 'Single addresses', 'The organisation'] as const

type EventWords = { group: (typeof EVENT_GROUPS)[number]; about: string }

/** What a webhook can be told of. The names themselves stay as they are, since receivers read them. */
export const EVENT_WORDS: Record<WebhookEventType, EventWords> = {
  'job.completed': { group: 'Lists', about: 'Every address of a list has its result.' },
  'job.failed': { group: 'Lists', about: 'A list was given up, and its unused credits came back.' },
  'job.cancelled': { group: 'Lists', about: 'Somebody canceled a list.' },
  'job.paused': { group: 'Lists', about: 'Somebody paused a list.' },
  'validation.resolved': {
    group: 'Single addresses',
    about: 'An answer that was still open is final. It holds the address.',
  },
  'credits.low': { group: 'The organisation', about: 'The credits fell below their threshold.' },
  'key.created': { group: 'The organisation', about: 'An API key was made.' },
  'key.revoked': { group: 'The organisation', about: 'An API key was revoked.' },
  'webhook.disabled': { group: 'The organisation', about: 'We stopped sending to another webhook.' },
}

const TEST: typeof TEST_EVENT = 'webhook.test'

/** Every type of event that a delivery can be of. */
export const EVENT_TYPES: string[] = [...Object.keys(EVENT_WORDS), TEST]

/** No choice is everything, also what is added one day. */
export function describeEvents(events: readonly string[]): string {
  return events.length === 0 ? 'Everything' : events.join(', ')
}
