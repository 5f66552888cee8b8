import type { Static } from 'typebox'
import Type from 'typebox'
import { DELIVERY_ERRORS, DELIVERY_STATUSES, type DeliveryStatus } from '../../constants/webhooks.ts'
import { count, nullableInteger, nullableString, pageQuery, valueList } from '../fields.ts'
import { WEBHOOK_ID, WebhookIdField } from './endpoints.ts'
import { EVENT_EXAMPLE, EVENT_ID } from './events.ts'

const STATUSES = Object.keys(DELIVERY_STATUSES) as DeliveryStatus[]

/** One signature of each kind. */
const SIGNATURE_EXAMPLE =
  'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4= v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg=='

const DELIVERY_ID = '0198f3a1-0b52-7e18-9c40-6d7f21a8e395'

const DELIVERY_FIELDS = {
  id: Type.String({
    format: 'uuid',
    description: 'The id of the delivery.',
    examples: [DELIVERY_ID],
  }),
  webhook_id: nullableString({
    format: 'uuid',
    description: 'The id of the webhook; null for the callback of a job.',
    examples: [WEBHOOK_ID, null],
  }),
  event_id: Type.String({
    description: 'The id of the event, sent as `webhook-id` in every attempt. Use it to ignore duplicates.',
    examples: [EVENT_ID],
  }),
  type: Type.String({ description: 'The type of the event. Values may be added.', examples: ['job.completed'] }),
  status: Type.String({
    description: `The status of the delivery. Values may be added.${valueList(DELIVERY_STATUSES)}`,
    examples: STATUSES,
  }),
  attempt_count: count('Number of completed attempts.', 2),
  retry_at: time('When the next attempt is due (RFC 3339, UTC); null if there is none.'),
  created_at: Type.String({
    format: 'date-time',
    description: 'When the delivery was created (RFC 3339, UTC).',
    examples: ['2026-11-02T12:03:07.412Z'],
  }),
  finished_at: time('When the delivery succeeded or failed (RFC 3339, UTC); null until then.'),
}

const DELIVERY_EXAMPLE = {
  id: DELIVERY_ID,
  webhook_id: WEBHOOK_ID,
  event_id: EVENT_ID,
  type: 'job.completed',
  status: 'delivered',
  attempt_count: 2,
  retry_at: null,
  created_at: '2026-11-02T12:03:07.412Z',
  finished_at: '2026-11-02T12:03:13.020Z',
}

const Attempt = Type.Object({
  attempted_at: Type.String({
    format: 'date-time',
    description: 'When the request was signed, in whole seconds, as in `webhook-timestamp` (RFC 3339, UTC).',
    examples: ['2026-11-02T12:03:12.000Z'],
  }),
  http_status: nullableInteger({
    description: 'The HTTP status of the response; null if there was none. Nothing else of a response is stored.',
    examples: [200, null],
  }),
  error: nullableString({
    description: `Why there was no response; null if there was one. Values may be added.${valueList(DELIVERY_ERRORS)}`,
    examples: ['timeout', null],
  }),
  duration_ms: count('Duration of the attempt in milliseconds.', 84),
})

const Sent = Type.Object(
  {
    headers: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string', description: 'The value of the header.' },
      description:
        'The headers of the last attempt; empty before the first. `webhook-signature` covers id, timestamp and body.',
      examples: [{ 'webhook-id': EVENT_ID, 'webhook-timestamp': '1793620992', 'content-type': 'application/json' }],
    }),
    body: nullableString({
      description: 'The body, byte for byte; null after it has expired, which depends on the retention of the account.',
      examples: ['{"type":"job.completed"}', null],
    }),
  },
  { description: 'The request that is sent.' },
)

export type Delivery = Static<typeof Delivery>
export const Delivery = Type.Object(DELIVERY_FIELDS, {
  title: 'Webhook delivery',
  description: 'The delivery of one event to one webhook, or to the callback URL of a job. Fields may be added.',
  examples: [DELIVERY_EXAMPLE],
})

export type DeliveryDetail = Static<typeof DeliveryDetail>
export const DeliveryDetail = Type.Object(
  {
    ...DELIVERY_FIELDS,
    request: Sent,
    attempts: Type.Array(Attempt, { description: 'The attempts, oldest first.' }),
  },
  {
    title: 'Webhook delivery detail',
    description: 'A delivery with its request and attempts. Fields may be added.',
    examples: [
      {
        ...DELIVERY_EXAMPLE,
        request: {
          headers: {
            'content-type': 'application/json',
            'user-agent': 'Probity-Webhooks/1',
            'webhook-id': EVENT_ID,
            'webhook-timestamp': '1793620992',
            'webhook-signature': SIGNATURE_EXAMPLE,
          },
          body: JSON.stringify(EVENT_EXAMPLE),
        },
        attempts: [
          { attempted_at: '2026-11-02T12:03:07.000Z', http_status: 503, error: null, duration_ms: 61 },
          { attempted_at: '2026-11-02T12:03:12.000Z', http_status: 200, error: null, duration_ms: 84 },
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
    description: 'The delivery.',
    examples: [{ webhook_id: WEBHOOK_ID, delivery_id: DELIVERY_ID }],
  },
)

const { skip, limit } = pageQuery('', 'deliveries').properties

export type DeliveryQuery = Static<typeof DeliveryQuery>
export const DeliveryQuery = Type.Object(
  {
    status: Type.Optional(
      Type.Enum(STATUSES, { type: 'string', description: 'Only deliveries with this status.', examples: ['failed'] }),
    ),
    type: Type.Optional(
      Type.String({
        pattern: '^[a-z]+\\.[a-z]+$',
        maxLength: 40,
        description: 'Only deliveries of events with this type.',
        examples: ['job.completed'],
      }),
    ),
    skip,
    limit,
  },
  {
    title: 'Page of deliveries',
    description: 'Selects deliveries and a page of them. Without parameters the first ten of all are returned.',
    examples: [{ status: 'failed', skip: 0, limit: 10 }],
  },
)

export type DeliveryList = Static<typeof DeliveryList>
export const DeliveryList = Type.Array(Delivery, {
  title: 'Webhook delivery list',
  description: 'One page of the deliveries to a webhook, newest first.',
  examples: [[DELIVERY_EXAMPLE]],
})

export type ResendDeliveries = Static<typeof ResendDeliveries>
export const ResendDeliveries = Type.Object(
  {
    since_at: Type.String({
      format: 'date-time',
      description: 'Failed deliveries that were created at this time or later are resent (RFC 3339).',
      examples: ['2026-11-02T00:00:00Z'],
    }),
  },
  {
    title: 'Recover webhook deliveries request',
    description: 'Selects the failed deliveries to resend.',
    additionalProperties: false,
    examples: [{ since_at: '2026-11-02T00:00:00Z' }],
  },
)

export type ResentDeliveries = Static<typeof ResentDeliveries>
export const ResentDeliveries = Type.Object(
  { count: count('Number of deliveries that are resent.', 17) },
  {
    title: 'Recover webhook deliveries result',
    description: 'Number of resent deliveries. Fields may be added.',
    examples: [{ count: 17 }],
  },
)

function time(description: string) {
  return nullableString({ format: 'date-time', description, examples: ['2026-11-02T12:03:13.020Z', null] })
}
