import type { Static, TSchema } from 'typebox'
import Type from 'typebox'
import { JOB_EXAMPLE, VALID_EXAMPLE } from '../../constants/data/examples.ts'
import { DEFAULT_SCOPES } from '../../constants/keys.ts'
import { API_VERSION, WEBHOOK_EVENTS, type WebhookEventType } from '../../constants/webhooks.ts'
import { count, LivemodeField, nullableString } from '../fields.ts'
import { Job } from '../jobs/jobs.ts'
import { KeyScopesField } from '../keys.ts'
import { ValidationResult } from '../validations/single.ts'

export const EVENT_ID = 'evt_0198f3a1-0b50-7a63-8d1f-52c94e07b6fa'
const ENDPOINT_ID = '0198f3a0-41c7-7d92-b6e8-3f5a90d27c14'
const KEY_ID = '0198f2e3-58b6-7c21-9d4f-6a0b13e7c582'
const AT = '2026-11-02T12:03:07.412Z'

const ENVELOPE = {
  id: Type.String({
    description:
      'The id of the event, equal to the `webhook-id` header. The same in every attempt and for every receiver.',
    examples: [EVENT_ID],
  }),
  api_version: Type.String({ description: 'The version of the API that `data` follows.', examples: [API_VERSION] }),
  timestamp: Type.String({
    format: 'date-time',
    description: 'When the event occurred (RFC 3339, UTC). The same in every attempt.',
    examples: [AT],
  }),
  livemode: LivemodeField,
}

/** The schema of one event body. Its title becomes the name of the component: `job.completed` is `JobCompletedEvent`. */
function eventBody<T extends WebhookEventType, D extends TSchema>(type: T, data: D, example: object) {
  const title = `${type.replace('.', ' ')} event`
  return Type.Object(
    { ...ENVELOPE, type: Type.Literal(type, { description: 'The type of the event.', examples: [type] }), data },
    {
      title: title.charAt(0).toUpperCase() + title.slice(1),
      description: `Sent when ${WEBHOOK_EVENTS[type]} Fields may be added.`,
      examples: [bodyExample(type, example)],
    },
  )
}

function bodyExample(type: WebhookEventType, data: object) {
  return { id: EVENT_ID, type, api_version: API_VERSION, timestamp: AT, livemode: true, data }
}

const CREATED_JOB: Job = {
  ...JOB_EXAMPLE,
  status: 'queued',
  started_at: null,
  done_count: 0,
  progress: 0,
  rate_per_s: 0,
  eta: null,
  deferred: [],
  status_counts: { valid: 0, invalid: 0, risky: 0, unknown: 0 },
  sub_status_counts: {},
  credits: { reserved: 10_000, used: 0, refunded: 0, charged: 0 },
}

const PAUSED_JOB: Job = { ...JOB_EXAMPLE, status: 'paused', rate_per_s: 0, eta: null, deferred: [] }
const STOPPED_JOB: Job = {
  ...PAUSED_JOB,
  finished_at: AT,
  credits: { reserved: 0, used: 6_400, refunded: 155, charged: 6_245 },
}

const COMPLETED_JOB: Job = {
  ...STOPPED_JOB,
  status: 'completed',
  done_count: 10_000,
  progress: 1,
  status_counts: { valid: 8_810, invalid: 388, risky: 647, unknown: 155 },
  credits: { reserved: 0, used: 10_000, refunded: 155, charged: 9_845 },
}

/** The example used where one event represents all. */
export const EVENT_EXAMPLE = bodyExample('job.completed', COMPLETED_JOB)

const {
  performance: _,
  metadata: __,
  livemode: ___,
  retry_at: ____,
  policy: _____,
  ...resultFields
} = ValidationResult.properties

const ResolvedValidation = Type.Object(
  {
    ...resultFields,
    evidence_omitted: Type.Optional(
      Type.Literal(true, {
        description:
          'Present if the event would exceed 20 KB. `evidence` is then empty; read the stored result instead.',
        examples: [true],
      }),
    ),
  },
  {
    title: 'Resolved validation',
    description: 'The final result of a deferred validation, with the `id` of the first response.',
  },
)

function resolvedExample() {
  const { performance, metadata, livemode, retry_at, ...result } = VALID_EXAMPLE
  return result
}

const LowCredits = Type.Object(
  {
    available: count('Credits that can be spent.', 93),
    threshold: count('The low-credit threshold of the account.', 100),
    reserved: count('Credits reserved for jobs in progress.', 250),
  },
  { title: 'Low credits', description: 'The balance after it fell below the threshold.' },
)

const EventKey = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'The id of the key.', examples: [KEY_ID] }),
    name: Type.String({ description: 'The name of the key.', examples: ['Sign-up form'] }),
    livemode: Type.Boolean({ description: 'Whether it is a live key; false for a test key.', examples: [true] }),
    hint: Type.String({
      description: 'The prefix and the last four characters of the key.',
      examples: ['pb_live_…4fQz'],
    }),
    scopes: KeyScopesField,
    created_at: Type.String({
      format: 'date-time',
      description: 'When the key was created (RFC 3339, UTC).',
      examples: ['2026-11-02T12:00:00.000Z'],
    }),
    expires_at: time('When the key expires (RFC 3339, UTC); null if it never does.'),
    paused_at: time('When the key was paused (RFC 3339, UTC); null if it is not.'),
    revoked_at: time('When the key was revoked (RFC 3339, UTC); null if it was not.'),
    replaces_key_id: otherKey('The `id` of the key that was rotated into this one; null if there is none.'),
    replaced_by_key_id: otherKey('The `id` of the key that this one was rotated into; null if there is none.'),
  },
  { title: 'Event key', description: 'An API key without its secret.' },
)

const KEY = {
  id: KEY_ID,
  name: 'Sign-up form',
  livemode: true,
  hint: 'pb_live_…4fQz',
  scopes: DEFAULT_SCOPES,
  created_at: '2026-11-02T12:00:00.000Z',
  expires_at: null as string | null,
  paused_at: null,
  revoked_at: null,
  replaces_key_id: null,
  replaced_by_key_id: null,
}

const DisabledWebhook = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'The id of the webhook.', examples: [ENDPOINT_ID] }),
    url: Type.String({ description: 'The URL of the webhook.', examples: ['https://hooks.example.com/probity'] }),
    reason: Type.String({
      description: 'Why it was disabled: `gone` or `failing`. Values may be added.',
      examples: ['gone', 'failing'],
    }),
    failing_since_at: time('The first failed attempt since the last successful one (RFC 3339, UTC).'),
  },
  { title: 'Disabled webhook', description: 'The webhook that was disabled.' },
)

const TestedWebhook = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'The id of the webhook.', examples: [ENDPOINT_ID] }),
    description: Type.String({ description: 'The description of the webhook.', examples: ['Production'] }),
  },
  { title: 'Tested webhook', description: 'The webhook that the test event was requested for.' },
)

/** The schema of each event body, by type. */
export const WEBHOOK_BODIES = {
  'job.created': eventBody('job.created', Job, CREATED_JOB),
  'job.paused': eventBody('job.paused', Job, PAUSED_JOB),
  'job.resumed': eventBody('job.resumed', Job, { ...PAUSED_JOB, status: 'processing' }),
  'job.completed': eventBody('job.completed', Job, COMPLETED_JOB),
  'job.failed': eventBody('job.failed', Job, { ...STOPPED_JOB, status: 'failed' }),
  'job.canceled': eventBody('job.canceled', Job, { ...STOPPED_JOB, status: 'canceled' }),
  'validation.resolved': eventBody('validation.resolved', ResolvedValidation, resolvedExample()),
  'credits.low': eventBody('credits.low', LowCredits, { available: 93, threshold: 100, reserved: 250 }),
  'key.created': eventBody('key.created', EventKey, KEY),
  'key.updated': eventBody('key.updated', EventKey, { ...KEY, name: 'Registration form' }),
  'key.rotated': eventBody('key.rotated', EventKey, {
    ...KEY,
    expires_at: '2026-11-03T12:03:07.412Z',
    replaced_by_key_id: '0198f3a1-0b49-7c1e-a2d4-7e5f90b3c816',
  }),
  'key.paused': eventBody('key.paused', EventKey, { ...KEY, paused_at: AT }),
  'key.resumed': eventBody('key.resumed', EventKey, KEY),
  'key.revoked': eventBody('key.revoked', EventKey, { ...KEY, revoked_at: AT }),
  'key.expired': eventBody('key.expired', EventKey, { ...KEY, expires_at: '2026-11-02T12:03:00.000Z' }),
  'webhook.disabled': eventBody('webhook.disabled', DisabledWebhook, {
    id: ENDPOINT_ID,
    url: 'https://hooks.example.com/probity',
    reason: 'failing',
    failing_since_at: '2026-10-28T11:58:02.118Z',
  }),
  'webhook.test': eventBody('webhook.test', TestedWebhook, { id: ENDPOINT_ID, description: 'Production' }),
} as const satisfies Record<WebhookEventType, TSchema>

type Bodies = typeof WEBHOOK_BODIES

/** The body of every request to a webhook, by its `type`. */
export type WebhookEvent = { [T in WebhookEventType]: Static<Bodies[T]> }[WebhookEventType]
export const WebhookEvent = Type.Unsafe<WebhookEvent>({
  title: 'Webhook event',
  description:
    'The body of a request to a webhook, as Standard Webhooks defines it. Types may be added. The signature covers these exact bytes: verify it before you parse them.',
  oneOf: Object.values(WEBHOOK_BODIES),
  discriminator: { propertyName: 'type' },
  examples: [EVENT_EXAMPLE],
})

function time(description: string) {
  return nullableString({ format: 'date-time', description, examples: ['2026-11-03T12:00:00.000Z', null] })
}

function otherKey(description: string) {
  return nullableString({ format: 'uuid', description, examples: ['0198f3a1-0b49-7c1e-a2d4-7e5f90b3c816', null] })
}
