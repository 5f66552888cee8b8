import type { Static } from 'typebox'
import Type from 'typebox'
import { count } from './count.ts'
import { nullableInteger, nullableString } from './nullable.ts'
import { pageQuery } from './page.ts'
import { valueList } from './value-list.ts'
import { WEBHOOK_ID, WebhookIdField } from './webhooks.ts'

export const DELIVERY_STATES = {
  pending: 'it is tried, or will be at `next_at`.',
  delivered: 'it was answered with a status of 2xx.',
  failed: 'it was given up: after ten tries, because the webhook was disabled, or because the event has left.',
} as const satisfies Record<string, string>

type DeliveryState = keyof typeof DELIVERY_STATES
const STATES = Object.keys(DELIVERY_STATES) as DeliveryState[]

/** Why a try got no answer. */
export const DELIVERY_ERRORS = {
  dns_failed: 'DNS gave no answer about the host.',
  no_address: 'the host has no address.',
  not_routable: 'the host is at no address that is public.',
  refused: 'the connection was refused.',
  unreachable: 'no connection came about.',
  timeout: 'the answer was not there after 15 seconds.',
  tls_failed: 'the host showed no certificate that is valid for its name.',
  connection_lost: 'the connection broke off before the answer.',
  not_http: 'the answer was not HTTP.',
  url_refused: 'the URL is one that we do not send to.',
  event_removed: 'what was to be sent has been removed.',
  not_finished: 'we broke off ourselves, again and again.',
} as const satisfies Record<string, string>

export type DeliveryError = keyof typeof DELIVERY_ERRORS

const DELIVERY_ID = '0198f3a1-0b52-7e18-9c40-6d7f21a8e395'
const EVENT_ID = 'evt_0198f3a1-0b50-7a63-8d1f-52c94e07b6fa'

const DELIVERY_FIELDS = {
  id: Type.String({
    format: 'uuid',
    description: 'Names the delivery: one event to one webhook.',
    examples: [DELIVERY_ID],
  }),
  webhook_id: Type.String({ format: 'uuid', description: 'Where it goes.', examples: [WEBHOOK_ID] }),
  event_id: Type.String({
    description:
      'Names the event, and is sent as `webhook-id` in every try: a receiver that has seen it has the event.',
    examples: [EVENT_ID],
  }),
  type: Type.String({ description: 'What happened. The list is open.', examples: ['job.completed'] }),
  state: Type.String({
    description: `How far it has got. The list is open.${valueList(DELIVERY_STATES)}`,
    examples: STATES,
  }),
  attempts: count('How often it was tried.', 2),
  next_at: time('When it is tried next (RFC 3339, UTC); null when it is not.'),
  created_at: Type.String({
    format: 'date-time',
    description: 'When the event happened (RFC 3339, UTC).',
    examples: ['2026-11-02T12:03:07.412Z'],
  }),
  finished_at: time('When it was delivered or given up (RFC 3339, UTC); null until then.'),
}

const DELIVERY_EXAMPLE = {
  id: DELIVERY_ID,
  webhook_id: WEBHOOK_ID,
  event_id: EVENT_ID,
  type: 'job.completed',
  state: 'delivered',
  attempts: 2,
  next_at: null,
  created_at: '2026-11-02T12:03:07.412Z',
  finished_at: '2026-11-02T12:03:13.020Z',
}

const Attempt = Type.Object({
  at: Type.String({
    format: 'date-time',
    description: 'When it was sent, to the second, as `webhook-timestamp` said (RFC 3339, UTC).',
    examples: ['2026-11-02T12:03:12.000Z'],
  }),
  status: nullableInteger({
    description: 'The HTTP status of the answer; null where there was none. Nothing else of an answer is kept.',
    examples: [200, null],
  }),
  error: nullableString({
    description: `Why there was no answer; null where there was one. The list is open.${valueList(DELIVERY_ERRORS)}`,
    examples: ['timeout', null],
  }),
  duration_ms: count('How long it took, in milliseconds.', 84),
})

const Sent = Type.Object(
  {
    headers: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string', description: 'The value of the header.' },
      description:
        'The headers of the last try; none before the first. `webhook-signature` is over id, timestamp and body.',
      examples: [{ 'webhook-id': EVENT_ID, 'webhook-timestamp': '1793620992', 'content-type': 'application/json' }],
    }),
    body: nullableString({
      description: 'The body, byte for byte; null once it has been removed, as the retention of the account says.',
      examples: ['{"type":"job.completed"}', null],
    }),
  },
  { description: 'What is sent.' },
)

export type Delivery = Static<typeof Delivery>
export const Delivery = Type.Object(DELIVERY_FIELDS, {
  title: 'Webhook delivery',
  description: 'One event on its way to one webhook. Fields may be added.',
  examples: [DELIVERY_EXAMPLE],
})

export type WholeDelivery = Static<typeof WholeDelivery>
export const WholeDelivery = Type.Object(
  {
    ...DELIVERY_FIELDS,
    request: Sent,
    tries: Type.Array(Attempt, { description: 'What came of each try, the first one first.' }),
  },
  {
    title: 'Whole webhook delivery',
    description: 'A delivery with what is sent and what came of each try. Fields may be added.',
    examples: [
      {
        ...DELIVERY_EXAMPLE,
        request: {
          headers: {
            'content-type': 'application/json',
            'user-agent': 'Probity-Webhooks/1',
            'webhook-id': EVENT_ID,
            'webhook-timestamp': '1793620992',
            'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
          },
          body: '{"type":"job.completed","timestamp":"2026-11-02T12:03:07.412Z","livemode":true,"data":{}}',
        },
        tries: [
          { at: '2026-11-02T12:03:07.000Z', status: 503, error: null, duration_ms: 61 },
          { at: '2026-11-02T12:03:12.000Z', status: 200, error: null, duration_ms: 84 },
        ],
      },
    ],
  },
)

export type DeliveryParams = Static<typeof DeliveryParams>
export const DeliveryParams = Type.Object(
  {
    webhook_id: WebhookIdField,
    delivery_id: Type.String({
      format: 'uuid',
      description: 'The `id` of the delivery.',
      examples: [DELIVERY_ID],
    }),
  },
  {
    title: 'Delivery path',
    description: 'Which delivery is meant.',
    examples: [{ webhook_id: WEBHOOK_ID, delivery_id: DELIVERY_ID }],
  },
)

const { skip, limit } = pageQuery('', 'deliveries').properties

export type DeliveryQuery = Static<typeof DeliveryQuery>
export const DeliveryQuery = Type.Object(
  {
    state: Type.Optional(
      Type.Enum(STATES, { type: 'string', description: 'Only deliveries in this state.', examples: ['failed'] }),
    ),
    type: Type.Optional(
      Type.String({
        pattern: '^[a-z]+\\.[a-z]+$',
        maxLength: 40,
        description: 'Only deliveries of events of this type.',
        examples: ['job.completed'],
      }),
    ),
    skip,
    limit,
  },
  {
    title: 'Page of deliveries',
    description: 'Chooses deliveries and a page of them. Without parameters the first ten of all are returned.',
    examples: [{ state: 'failed', skip: 0, limit: 10 }],
  },
)

export type DeliveryList = Static<typeof DeliveryList>
export const DeliveryList = Type.Array(Delivery, {
  title: 'Webhook deliveries',
  description: 'One page of the deliveries to a webhook, newest first.',
  examples: [[DELIVERY_EXAMPLE]],
})

export type RecoverDeliveries = Static<typeof RecoverDeliveries>
export const RecoverDeliveries = Type.Object(
  {
    since: Type.String({
      format: 'date-time',
      description: 'Everything that failed and happened at this time or later is sent again (RFC 3339).',
      examples: ['2026-11-02T00:00:00Z'],
    }),
  },
  {
    title: 'Recovery',
    description: 'From when on failed deliveries are sent again.',
    additionalProperties: false,
    examples: [{ since: '2026-11-02T00:00:00Z' }],
  },
)

export type Recovered = Static<typeof Recovered>
export const Recovered = Type.Object(
  { count: count('How many deliveries are sent again.', 17) },
  { title: 'Recovered', description: 'What a recovery set going. Fields may be added.', examples: [{ count: 17 }] },
)

function time(description: string) {
  return nullableString({ format: 'date-time', description, examples: ['2026-11-02T12:03:13.020Z', null] })
}
