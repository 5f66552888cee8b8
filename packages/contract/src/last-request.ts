import Type from 'typebox'
import { StatusField } from './status-fields.ts'

/** What a key was last used for. */
export type LastRequest = {
  at: string
  method: string
  route: string
  status: number
  duration_ms: number
  verdict?: string
}

export const LAST_REQUEST_EXAMPLE: LastRequest = {
  at: '2026-11-09T08:41:00.000Z',
  method: 'POST',
  route: '/api/v1/validation/single',
  status: 200,
  duration_ms: 412,
  verdict: 'valid',
}

export const LastRequestField = Type.Unsafe<LastRequest | null>({
  type: ['object', 'null'],
  required: ['at', 'method', 'route', 'status', 'duration_ms'],
  properties: {
    at: Type.String({
      format: 'date-time',
      description: 'When it came (RFC 3339, UTC).',
      examples: [LAST_REQUEST_EXAMPLE.at],
    }),
    method: Type.String({ description: 'Its HTTP method.', examples: [LAST_REQUEST_EXAMPLE.method] }),
    route: Type.String({
      description: 'What was asked for, as a pattern without ids or addresses.',
      examples: [LAST_REQUEST_EXAMPLE.route],
    }),
    status: Type.Integer({ description: 'The HTTP status of the answer.', examples: [LAST_REQUEST_EXAMPLE.status] }),
    duration_ms: Type.Integer({
      minimum: 0,
      description: 'How long the answer took, in milliseconds.',
      examples: [LAST_REQUEST_EXAMPLE.duration_ms],
    }),
    verdict: StatusField,
  },
  description:
    'What the key was last used for, within a few seconds; null when it never was. `verdict` is there where it validated a single address.',
  examples: [LAST_REQUEST_EXAMPLE, null],
})
