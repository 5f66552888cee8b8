import Type from 'typebox'
import { StatusField } from './status-fields.ts'

/** The last request that was made with a key. The names are those of the request log. */
export type LastRequest = {
  occurred_at: string
  method: string
  route: string
  http_status: number
  duration_ms: number
  result_status?: string
}

export const LAST_REQUEST_EXAMPLE: LastRequest = {
  occurred_at: '2026-11-09T08:41:00.000Z',
  method: 'POST',
  route: '/api/v1/validation/single',
  http_status: 200,
  duration_ms: 412,
  result_status: 'valid',
}

export const LastRequestField = Type.Unsafe<LastRequest | null>({
  type: ['object', 'null'],
  required: ['occurred_at', 'method', 'route', 'http_status', 'duration_ms'],
  properties: {
    occurred_at: Type.String({
      format: 'date-time',
      description: 'Time of the request (RFC 3339, UTC).',
      examples: [LAST_REQUEST_EXAMPLE.occurred_at],
    }),
    method: Type.String({ description: 'HTTP method.', examples: [LAST_REQUEST_EXAMPLE.method] }),
    route: Type.String({
      description: 'Route pattern, without ids or addresses.',
      examples: [LAST_REQUEST_EXAMPLE.route],
    }),
    http_status: Type.Integer({
      description: 'HTTP status of the response.',
      examples: [LAST_REQUEST_EXAMPLE.http_status],
    }),
    duration_ms: Type.Integer({
      minimum: 0,
      description: 'Time until the response, in milliseconds.',
      examples: [LAST_REQUEST_EXAMPLE.duration_ms],
    }),
    result_status: StatusField,
  },
  description:
    'Last request with the key, up to a few seconds late; null if the key was never used. `result_status` is present if the request validated a single address.',
  examples: [LAST_REQUEST_EXAMPLE, null],
})
