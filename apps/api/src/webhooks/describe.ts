import { WEBHOOK_EVENTS, WebhookEvent } from '@probity/contract/webhook-events'

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
})

const HEADERS = [
  header('webhook-id', 'Names the event, the same in every try.', 'evt_0198f3a1-0b50-7a63-8d1f-52c94e07b6fa'),
  header('webhook-timestamp', 'When the request was signed, in Unix time.', '1793620992'),
  header(
    'webhook-signature',
    'One signature or more over id, timestamp and body, separated by spaces.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
]

/** What we send, for the OpenAPI document: a request that a receiver has to answer. */
export function describeWebhooks() {
  return Object.fromEntries(
    Object.entries(WEBHOOK_EVENTS).map(([type, meaning]) => [
      type,
      {
        post: {
          operationId: `receive${type.split('.').map(capitalise).join('')}`,
          tags: ['Webhooks'],
          summary: `Sent as ${type}`,
          description: `Sent to webhooks when ${meaning}`,
          parameters: HEADERS,
          requestBody: {
            required: true,
            content: { 'application/json': { schema: structuredClone(WebhookEvent) } },
          },
          responses: {
            200: { description: 'You have it. Any status of 2xx will do, within 15 seconds.' },
            410: { description: 'You want nothing more: the webhook is disabled.' },
          },
          security: [],
        },
      },
    ]),
  )
}

function capitalise(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
