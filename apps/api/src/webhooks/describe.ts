import { WEBHOOK_EVENTS, type WebhookEventType } from '@probity/contract/constants/webhooks'
import { EVENT_ID, WEBHOOK_BODIES } from '@probity/contract/schemas/webhooks/events'

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
})

const HEADERS = [
  header('webhook-id', 'The id of the event, the same in every attempt.', EVENT_ID),
  header('webhook-timestamp', 'When the request was signed, in Unix time.', '1793620992'),
  header(
    'webhook-signature',
    'Signatures over id, timestamp and body, separated by spaces: HMAC-SHA256 (`v1`) and Ed25519 (`v1a`).',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4= v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==',
  ),
]

/** The requests to webhooks, for the OpenAPI document. */
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
            content: { 'application/json': { schema: structuredClone(WEBHOOK_BODIES[type as WebhookEventType]) } },
          },
          responses: {
            200: { description: 'Received. Any 2xx status within 15 seconds counts.' },
            410: { description: 'Disables the webhook.' },
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
