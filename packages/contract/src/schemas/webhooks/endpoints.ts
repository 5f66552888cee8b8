import type { Static } from 'typebox'
import Type from 'typebox'
import { ALL_EVENTS, DISABLED_REASONS, SUBSCRIPTIONS, WEBHOOK_EVENTS } from '../../constants/webhooks.ts'
import { LivemodeField, nullableString, pageQuery, valueList } from '../fields.ts'

export const WEBHOOK_ID = '0198f3a0-41c7-7d92-b6e8-3f5a90d27c14'
// The base64 of a sentence, which no generator creates, and an example key of RFC 8032.
const SECRET_EXAMPLE = 'whsec_VGhpcyBpcyBhbiBleGFtcGxlIGFuZCBub3QgYSBzZWNyZXQh'
const PUBLIC_KEY_EXAMPLE = 'whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='
const URL_EXAMPLE = 'https://hooks.example.com/probity'

export const WebhookUrlField = Type.String({
  minLength: 10,
  maxLength: 2048,
  description:
    'The URL that events are sent to by POST: `https`, port 443, a public host name. IP addresses, user names, passwords and fragments are rejected.',
  examples: [URL_EXAMPLE],
})

const description = Type.String({
  maxLength: 200,
  description: 'Description of the webhook, up to 200 characters.',
  examples: ['Production'],
})

const eventsInput = Type.Array(Type.Enum(SUBSCRIPTIONS, { type: 'string' }), {
  minItems: 1,
  maxItems: SUBSCRIPTIONS.length,
  uniqueItems: true,
  description: `The event types to subscribe to, at least one. \`*\` is all of them, including types that are added later. \`webhook.test\` needs no subscription.${valueList(WEBHOOK_EVENTS)}`,
  examples: [['job.completed', 'job.failed']],
})

const WEBHOOK_FIELDS = {
  id: Type.String({ format: 'uuid', description: 'The id of the webhook.', examples: [WEBHOOK_ID] }),
  url: WebhookUrlField,
  description,
  livemode: Type.With(LivemodeField, {
    description:
      'Whether the webhook receives events of live mode; `false` for events of test mode. It is the mode of the key that created the webhook.',
  }),
  events: Type.Array(Type.String(), {
    description: 'The event types that it subscribes to; `*` is all of them. Values may be added.',
    examples: [['job.completed', 'job.failed']],
  }),
  enabled: Type.Boolean({ description: 'Whether events are sent to it.', examples: [true] }),
  disabled_reason: nullableString({
    description: `Why it is disabled; null if it is enabled. Values may be added.${valueList(DISABLED_REASONS)}`,
    examples: ['failing', null],
  }),
  disabled_at: time('When it was disabled (RFC 3339, UTC); null if it is enabled.'),
  failing_since_at: time('The first failed attempt since the last success (RFC 3339, UTC); null if there is none.'),
  previous_secret_expires_at: time(
    'Until when the secret and the private key from before the last rotation also sign (RFC 3339, UTC); null if it was never rotated.',
  ),
  public_key: Type.String({
    description:
      'The Ed25519 public key for `v1a` signatures, as Standard Webhooks defines it: `whpk_` and the base64 of 32 bytes.',
    examples: [PUBLIC_KEY_EXAMPLE],
  }),
  created_at: Type.String({
    format: 'date-time',
    description: 'When the webhook was created (RFC 3339, UTC).',
    examples: ['2026-11-02T12:00:00.000Z'],
  }),
}

const WEBHOOK_EXAMPLE = {
  id: WEBHOOK_ID,
  url: URL_EXAMPLE,
  description: 'Production',
  livemode: true,
  events: ['job.completed', 'job.failed'],
  enabled: true,
  disabled_reason: null,
  disabled_at: null,
  failing_since_at: null,
  previous_secret_expires_at: null,
  public_key: PUBLIC_KEY_EXAMPLE,
  created_at: '2026-11-02T12:00:00.000Z',
}

export type Webhook = Static<typeof Webhook>
export const Webhook = Type.Object(WEBHOOK_FIELDS, {
  title: 'Webhook',
  description: 'A webhook without its secret, which cannot be shown again. Fields may be added.',
  examples: [WEBHOOK_EXAMPLE],
})

export type WebhookWithSecret = Static<typeof WebhookWithSecret>
export const WebhookWithSecret = Type.Object(
  {
    ...WEBHOOK_FIELDS,
    secret: Type.String({
      description:
        'The secret for `v1` signatures, as Standard Webhooks defines it. It is shown once; if you lose it, rotate it.',
      examples: [SECRET_EXAMPLE],
    }),
  },
  {
    title: 'Webhook with secret',
    description: 'A webhook with its new secret. Fields may be added.',
    examples: [{ ...WEBHOOK_EXAMPLE, secret: SECRET_EXAMPLE }],
  },
)

export type CreateWebhook = Static<typeof CreateWebhook>
export const CreateWebhook = Type.Object(
  {
    url: WebhookUrlField,
    description: Type.Optional(description),
    events: Type.Optional(Type.With(eventsInput, { default: [ALL_EVENTS] })),
  },
  {
    title: 'Create webhook request',
    description: 'The URL and the event types. Only the URL is required.',
    additionalProperties: false,
    examples: [{ url: URL_EXAMPLE, events: ['job.completed', 'job.failed'] }],
  },
)

// No defaults: a validator that applies them would reset fields that the request leaves out.
export type UpdateWebhook = Static<typeof UpdateWebhook>
export const UpdateWebhook = Type.Object(
  {
    url: Type.Optional(WebhookUrlField),
    description: Type.Optional(description),
    events: Type.Optional(eventsInput),
    enabled: Type.Optional(
      Type.Boolean({
        description:
          'False disables the webhook and fails its pending deliveries. True enables it for events from now on; failed deliveries can be resent.',
        examples: [true],
      }),
    ),
  },
  {
    title: 'Update webhook request',
    description: 'The settings to change, at least one; others stay as they are.',
    minProperties: 1,
    additionalProperties: false,
    examples: [{ enabled: true }, { events: ['*'] }],
  },
)

export const WebhookIdField = Type.String({
  format: 'uuid',
  description: 'The `id` of the webhook.',
  examples: [WEBHOOK_ID],
})

export type WebhookParams = Static<typeof WebhookParams>
export const WebhookParams = Type.Object(
  { webhook_id: WebhookIdField },
  { title: 'Webhook path', description: 'The webhook.', examples: [{ webhook_id: WEBHOOK_ID }] },
)

export type WebhookPage = Static<typeof WebhookPage>
export const WebhookPage = pageQuery('Page of webhooks', 'webhooks')

export type WebhookList = Static<typeof WebhookList>
export const WebhookList = Type.Array(Webhook, {
  title: 'Webhook list',
  description: 'One page of the webhooks of the account, newest first.',
  examples: [[WEBHOOK_EXAMPLE]],
})

function time(description: string) {
  return nullableString({ format: 'date-time', description, examples: ['2026-11-03T12:00:00.000Z', null] })
}

const CALLBACK_SECRET_EXAMPLE = {
  secret: SECRET_EXAMPLE,
  previous_secret_expires_at: null,
  created_at: '2026-11-02T12:00:00.000Z',
  livemode: true,
}

export type CallbackSecret = Static<typeof CallbackSecret>
export const CallbackSecret = Type.Object(
  {
    secret: Type.String({
      description: 'The secret for the `v1` signature of job callbacks, as Standard Webhooks defines it.',
      examples: [SECRET_EXAMPLE],
    }),
    previous_secret_expires_at: time(
      'Until when the secret from before the last rotation also signs (RFC 3339, UTC); null if it was never rotated.',
    ),
    created_at: Type.String({
      format: 'date-time',
      description: 'When the first secret was created (RFC 3339, UTC).',
      examples: ['2026-11-02T12:00:00.000Z'],
    }),
    livemode: LivemodeField,
  },
  {
    title: 'Callback secret',
    description: 'The secret that signs the callbacks of jobs, one for each mode. Fields may be added.',
    examples: [CALLBACK_SECRET_EXAMPLE],
  },
)
