import { PROBLEMS } from '@probity/contract/constants/data/problems'
import type { ProblemCode } from '@probity/contract/constants/problems'
import { ProblemBody, problemExample } from '@probity/contract/schemas/problems'
import type { TSchema } from 'typebox'

type Json = Record<string, unknown>
type Body = { content?: Json; headers?: Json }
type Operation = {
  parameters?: Json[]
  requestBody?: Body
  responses?: Record<string, Body>
  deprecated?: boolean
  [SENDS]?: readonly HeaderName[]
}

/** Carries the headers that a route names in `operation` to the OpenAPI document, which then omits this key. */
export const SENDS = 'x-sends'

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })
const count = (description: string, example: number) => ({
  description,
  schema: { type: 'integer', minimum: 0 },
  example,
})

/** Response headers besides those of HTTP itself (content, caching, security), by the spelling of the document. */
export const RESPONSE_HEADERS = {
  'Request-Id': {
    ...text(
      'Identifies the request. Quote it in support requests; the request log finds it.',
      'req_0f9d2c3e-58b6-4c21-9d4f-6a0b13e7c582',
    ),
    required: true,
  },
  RateLimit: text(
    'Requests left (`r`) in the current window and seconds until the full quota is available again (`t`). A structured field of draft-ietf-httpapi-ratelimit-headers.',
    '"account";r=5999;t=1',
  ),
  'RateLimit-Policy': text('Quota (`q`) in requests per window of `w` seconds.', '"account";q=6000;w=60'),
  Livemode: {
    ...text('`true` for a live key, `false` for a test key. Absent if the request was not authenticated.', 'true'),
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  'Retry-After': count('Seconds to wait before the next attempt.', 2),
  'Credits-Charged': count(
    'Credits that this request charged, net of refunds. 0 in test mode and for a replay of a job.',
    1,
  ),
  'Credits-Remaining': count('Credits available after this request.', 24_310),
  'Idempotency-Replayed': {
    ...text('`true` if this is the stored response to an earlier request with the same `Idempotency-Key`.', 'true'),
    schema: { type: 'string', enum: ['true'] },
  },
  'X-Total-Count': count('Number of entries in the whole collection, with the filters of the request.', 42),
  Link: text(
    'Links to the previous and the next page (RFC 8288), with `rel="prev"` and `rel="next"`. Absent if there is neither. A deprecated operation adds `rel="deprecation"`.',
    '</api/v1/bulk/jobs?skip=10&limit=10>; rel="next"',
  ),
  'Content-Disposition': text('File name of an export.', 'attachment; filename="results.csv"'),
  Deprecation: text('When the operation was deprecated, as a Unix time after `@` (RFC 9745).', '@1830297600'),
  Sunset: text(
    'Earliest time at which the operation is removed (RFC 8594), at least 12 months after `Deprecation`.',
    'Sat, 01 Jan 2028 00:00:00 GMT',
  ),
} as const satisfies Record<string, Json>

export type HeaderName = keyof typeof RESPONSE_HEADERS

const ON_EVERY_RESPONSE: HeaderName[] = ['Request-Id', 'RateLimit', 'RateLimit-Policy', 'Livemode']
/** 409 for `idempotency_in_progress`. */
const STATUSES_WITH_RETRY = new Set(['409', '429', '503'])
const FILE_TYPES = ['text/csv', 'application/x-ndjson']

export const REQUEST_PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes a retry safe. The same request with the same key is not executed again within 24 hours: it returns the stored response, with `Idempotency-Replayed: true`. Another body with the same key is rejected with `idempotency_mismatch`. Use a random value such as a UUID.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
    example: '5f0c1a52-6c0e-4d8e-9a3b-2f1d7c9e4b60',
  },
}

/** Declares the request header `Idempotency-Key` and the response headers of an operation. */
export function declareHeaders(method: string, operation: Operation): void {
  const sent = operation[SENDS] ?? []
  delete operation[SENDS]
  // A GET that charges credits takes the key too. The upload of a file does not: its body is read as a stream and cannot be compared.
  const isUpload = 'multipart/form-data' in (operation.requestBody?.content ?? {})
  const isIdempotent = (method === 'post' && !isUpload) || sent.includes('Credits-Charged')
  if (isIdempotent) {
    operation.parameters = [...(operation.parameters ?? []), { $ref: '#/components/parameters/IdempotencyKey' }]
  }
  for (const [status, response] of Object.entries(operation.responses ?? {})) {
    const isSuccess = status.startsWith('2')
    const names = new Set<HeaderName>([
      ...ON_EVERY_RESPONSE,
      ...(STATUSES_WITH_RETRY.has(status) ? (['Retry-After'] as const) : []),
      ...(isSuccess ? [...sent, ...headersOfSuccess(operation, response, isIdempotent)] : []),
      ...(operation.deprecated ? (['Deprecation', 'Sunset', 'Link'] as const) : []),
    ])
    response.headers = Object.fromEntries([...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]))
  }
}

function headersOfSuccess({ parameters = [] }: Operation, { content = {} }: Body, isIdempotent: boolean) {
  const isPaged = parameters.some((parameter) => parameter['in'] === 'query' && parameter['name'] === 'skip')
  const isFile = FILE_TYPES.some((type) => type in content)
  return [
    ...(isIdempotent ? (['Idempotency-Replayed'] as const) : []),
    ...(isPaged ? (['X-Total-Count', 'Link'] as const) : []),
    ...(isFile ? (['Content-Disposition'] as const) : []),
  ]
}

/** The tags of operations, in the order of the API reference. */
export const TAGS = {
  Validation: 'Validation of one address, or of up to 1,000 in one JSON call, while the client waits.',
  Jobs: 'Validation of CSV and XLSX files in the background: upload a file, confirm it as a job, follow the job and read its results.',
  Overrides: 'Addresses and domains that the account always allows or always blocks.',
  Erasures: 'Deletion of all data about one address.',
  Policies: 'Rules that map a result to `allow`, `review` or `block`.',
  Feedback: 'Delivery reports of your own mail, and the accuracy of predictions.',
  Account: 'Plan, credits, usage, ledger and request log.',
  'API keys': 'Keys for programs: secret keys for servers and publishable keys for web pages.',
  Webhooks: 'Endpoints that receive events, and the deliveries to them.',
} as const

export type TagName = keyof typeof TAGS

/** Problems that any route under /api/v1 may return before its handler runs. */
export const MIDDLEWARE_PROBLEMS: ProblemCode[] = [
  'api_key_in_query',
  'conflicting_api_keys',
  'missing_api_key',
  'invalid_api_key',
  'revoked_api_key',
  'expired_api_key',
  'paused_api_key',
  'ip_not_allowed',
  'origin_not_allowed',
  'key_type_not_allowed',
  'missing_scope',
  'key_type_not_allowed',
  'account_suspended',
  'api_not_in_plan',
  'rate_limited',
  'internal_error',
  'overloaded',
  'service_unavailable',
]

/** Additional problems of every POST except file uploads. */
export const IDEMPOTENCY_PROBLEMS: ProblemCode[] = ['idempotency_in_progress', 'idempotency_mismatch']

/** Additional problems of a route that charges credits. */
export const SPENDING_PROBLEMS: ProblemCode[] = [
  'invalid_request',
  'insufficient_credits',
  'api_key_cap_reached',
  'account_on_hold',
  ...IDEMPOTENCY_PROBLEMS,
  'concurrency_limited',
  ...MIDDLEWARE_PROBLEMS,
]

/** Headers of a route that charges credits. */
export const SPENDING_HEADERS = ['Credits-Charged', 'Credits-Remaining'] as const

/** Additional problems of a route with a JSON body. */
export const BODY_PROBLEMS: ProblemCode[] = ['malformed_json', 'payload_too_large', 'unsupported_media_type']

type Meaning = {
  id: string
  tag: TagName
  summary: string
  description: string
  problems: ProblemCode[]
  /** Headers of its successful responses besides those that `declareHeaders` derives. */
  sends?: readonly HeaderName[]
}
type Parts = { params?: TSchema; querystring?: TSchema; body?: TSchema; response: Record<number, TSchema> }

/** The schema of a route: request, response and every problem with an example. */
export function operation<const P extends Parts>(meaning: Meaning, parts: P): P {
  const { id, tag, summary, description, problems, sends = [] } = meaning
  const response = { ...parts.response, ...problemAnswers(problems) }
  // Typed as the parts only: handlers return responses, and problems are thrown.
  const schema = { operationId: id, tags: [tag], summary, description, [SENDS]: sends, ...parts, response }
  return schema
}

function problemAnswers(codes: ProblemCode[]): Record<number, unknown> {
  const byStatus = Object.groupBy(codes, (code) => PROBLEMS[code].status)
  const answers = Object.entries(byStatus).map(([status, group = []]) => {
    const examples = Object.fromEntries(group.map((code) => [code, { value: problemExample(code) }]))
    const description = group.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(' ')
    return [status, { description, content: { 'application/problem+json': { schema: ProblemBody, examples } } }]
  })
  return Object.fromEntries(answers)
}
