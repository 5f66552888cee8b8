import type { Static } from 'typebox'
import Type from 'typebox'
import { JOB_EXAMPLE } from './bulk.ts'
import { valueList } from './value-list.ts'

/** What an endpoint can ask to be told of. */
export const WEBHOOK_EVENTS = {
  'job.completed': 'every address of a list has its result; `data` is the job.',
  'job.failed': 'a list was given up and its unused credits are back; `data` is the job.',
  'job.cancelled': 'a list was canceled and its unused credits are back; `data` is the job.',
  'job.paused': 'a list was paused; `data` is the job.',
  'validation.resolved':
    'an address that was answered with `retry_at` has its final answer; `data` is the answer, which holds the address.',
  'credits.low':
    'the balance fell below the threshold of the account; `data` has `available`, `threshold` and `reserved`.',
  'key.created': 'an API key was made; `data` is the key without its secret.',
  'key.revoked': 'an API key was revoked; `data` is the key without its secret.',
  'webhook.disabled':
    'we stopped sending to an endpoint, because it said 410 or failed for five days; `data` has its `id`, `url` and the `reason`.',
} as const satisfies Record<string, string>

export type WebhookEventType = keyof typeof WEBHOOK_EVENTS

export const WEBHOOK_EVENT_TYPES = Object.keys(WEBHOOK_EVENTS) as WebhookEventType[]

/** Sent on request, to one endpoint, whatever it wants to be told of. */
export const TEST_EVENT = 'webhook.test'

export type WebhookEvent = Static<typeof WebhookEvent>
export const WebhookEvent = Type.Object(
  {
    type: Type.String({
      description: `What happened. The list is open.${valueList({ ...WEBHOOK_EVENTS, [TEST_EVENT]: 'somebody asked for it.' })}`,
      examples: ['job.completed'],
    }),
    timestamp: Type.String({
      format: 'date-time',
      description: 'When it happened (RFC 3339, UTC). The same in every try.',
      examples: ['2026-11-02T12:03:07.412Z'],
    }),
    livemode: Type.Boolean({ description: 'True for what live keys did, false in the sandbox.', examples: [true] }),
    data: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description:
        'What it happened to, as the interface shows it at that moment; at most 20 KB. Where it would be more, only its `id` and `omitted` are there.',
      examples: [{ id: JOB_EXAMPLE.id, status: 'completed' }],
    }),
  },
  {
    title: 'Webhook event',
    description:
      'The body of every request to a webhook, in the form of Standard Webhooks. Its signature is over these very bytes: verify it before you read them.',
    examples: [
      {
        type: 'job.completed',
        timestamp: '2026-11-02T12:03:07.412Z',
        livemode: true,
        data: { ...JOB_EXAMPLE, status: 'completed', done_count: 10_000, progress: 1 },
      },
    ],
  },
)
