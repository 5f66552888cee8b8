import type { Static } from 'typebox'
import Type from 'typebox'
import { KeyModeField } from './keys.ts'
import { nullableString } from './nullable.ts'
import { pageQuery } from './page.ts'
import { valueList } from './value-list.ts'
import { WEBHOOK_EVENT_TYPES, WEBHOOK_EVENTS } from './webhook-events.ts'

/** Why we send nothing to an endpoint. */
const DISABLED_REASONS = {
  by_owner: 'it was switched off.',
  gone: 'it answered 410.',
  failing: 'it had failed for five days without a success.',
} as const satisfies Record<string, string>

export const WEBHOOK_ID = '0198f3a0-41c7-7d92-b6e8-3f5a90d27c14'
// The base64 of a sentence, which no generator makes.
const SECRET_EXAMPLE = 'whsec_VGhpcyBpcyBhbiBleGFtcGxlIGFuZCBub3QgYSBzZWNyZXQh'
const URL_EXAMPLE = 'https://hooks.example.com/probity'

const url = Type.String({
  minLength: 10,
  maxLength: 2048,
  description:
    'Where events are sent, by POST: `https`, port 443, a public host name. An address instead of a name, a user or a password in it and a fragment are refused.',
  examples: [URL_EXAMPLE],
})

const description = Type.String({
  maxLength: 200,
  description: 'What the webhook is for, up to 200 characters.',
  examples: ['Production'],
})

const eventsInput = Type.Array(Type.Enum(WEBHOOK_EVENT_TYPES, { type: 'string' }), {
  maxItems: WEBHOOK_EVENT_TYPES.length,
  uniqueItems: true,
  description: `What to be told of; an empty list is all of it, also what may be added one day.${valueList(WEBHOOK_EVENTS)}`,
  examples: [['job.completed', 'job.failed']],
})

const WEBHOOK_FIELDS = {
  id: Type.String({ format: 'uuid', description: 'Names the webhook.', examples: [WEBHOOK_ID] }),
  url,
  description,
  mode: Type.With(KeyModeField, {
    description: 'That of the key that made it: `live` is told of what live keys do, `test` of the sandbox.',
  }),
  events: Type.Array(Type.String(), {
    description: 'What it is told of; empty when of everything. The list is open.',
    examples: [['job.completed', 'job.failed']],
  }),
  enabled: Type.Boolean({ description: 'Whether anything is sent.', examples: [true] }),
  disabled_reason: nullableString({
    description: `Why nothing is sent; null when it is. The list is open.${valueList(DISABLED_REASONS)}`,
    examples: ['failing', null],
  }),
  disabled_at: time('Since when nothing is sent (RFC 3339, UTC); null when it is.'),
  failing_since: time('The first failure that no success has followed (RFC 3339, UTC); null when there is none.'),
  previous_secret_until: time(
    'Until when the secret before the last rotation signs as well (RFC 3339, UTC); null when there was none.',
  ),
  created_at: Type.String({
    format: 'date-time',
    description: 'When the webhook was made (RFC 3339, UTC).',
    examples: ['2026-11-02T12:00:00.000Z'],
  }),
}

const WEBHOOK_EXAMPLE = {
  id: WEBHOOK_ID,
  url: URL_EXAMPLE,
  description: 'Production',
  mode: 'live',
  events: ['job.completed', 'job.failed'],
  enabled: true,
  disabled_reason: null,
  disabled_at: null,
  failing_since: null,
  previous_secret_until: null,
  created_at: '2026-11-02T12:00:00.000Z',
}

export type Webhook = Static<typeof Webhook>
export const Webhook = Type.Object(WEBHOOK_FIELDS, {
  title: 'Webhook',
  description: 'Where events are sent, without the secret, which cannot be shown again. Fields may be added.',
  examples: [WEBHOOK_EXAMPLE],
})

export type WebhookWithSecret = Static<typeof WebhookWithSecret>
export const WebhookWithSecret = Type.Object(
  {
    ...WEBHOOK_FIELDS,
    secret: Type.String({
      description:
        'What signs every request, in the form of Standard Webhooks. It is shown this once; when it is lost, rotate it.',
      examples: [SECRET_EXAMPLE],
    }),
  },
  {
    title: 'Webhook with secret',
    description: 'A webhook whose secret was just made. Fields may be added.',
    examples: [{ ...WEBHOOK_EXAMPLE, secret: SECRET_EXAMPLE }],
  },
)

export type CreateWebhook = Static<typeof CreateWebhook>
export const CreateWebhook = Type.Object(
  {
    url,
    description: Type.Optional(description),
    events: Type.Optional(eventsInput),
  },
  {
    title: 'Webhook to create',
    description: 'Where to send events, and which. Only the URL is needed.',
    additionalProperties: false,
    examples: [{ url: URL_EXAMPLE, events: ['job.completed', 'job.failed'] }],
  },
)

// No defaults here: a validator that fills them in would reset what the caller did not mention.
export type UpdateWebhook = Static<typeof UpdateWebhook>
export const UpdateWebhook = Type.Object(
  {
    url: Type.Optional(url),
    description: Type.Optional(description),
    events: Type.Optional(eventsInput),
    enabled: Type.Optional(
      Type.Boolean({
        description:
          'False sends nothing more, and what is on its way has failed. True sends again from now on; what failed can be recovered.',
        examples: [true],
      }),
    ),
  },
  {
    title: 'Webhook changes',
    description: 'The settings to change, at least one; those left out stay as they are.',
    minProperties: 1,
    additionalProperties: false,
    examples: [{ enabled: true }, { events: [] }],
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
  { title: 'Webhook path', description: 'Which webhook is meant.', examples: [{ webhook_id: WEBHOOK_ID }] },
)

export type WebhookPage = Static<typeof WebhookPage>
export const WebhookPage = pageQuery('Page of webhooks', 'webhooks')

export type WebhookList = Static<typeof WebhookList>
export const WebhookList = Type.Array(Webhook, {
  title: 'Webhooks',
  description: 'One page of the webhooks of the account, newest first.',
  examples: [[WEBHOOK_EXAMPLE]],
})

function time(description: string) {
  return nullableString({ format: 'date-time', description, examples: ['2026-11-03T12:00:00.000Z', null] })
}
