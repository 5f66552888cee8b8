import type { ALL_EVENTS as All, TEST_EVENT, WebhookEventType } from '@probity/contract/constants/webhooks'

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
