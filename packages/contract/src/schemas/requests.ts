import type { Static } from 'typebox'
import Type from 'typebox'
import { REQUEST_CLASSES, REQUEST_SOURCES } from '../constants/accounts.ts'
import { PROBLEMS } from '../constants/data/problems.ts'
import { PAGE_LIMIT_MAX } from '../constants/limits.ts'
import { extensibleEnum, LivemodeField, nullableInteger, nullableString, valueList } from './fields.ts'
import { Result } from './jobs/results.ts'

const UUID = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'
const REQUEST_ID = 'req_0b8f2f2e-3f0c-4a55-9a37-0a1f6c9d2b71'
const KEY_ID = '0198f2e3-58b6-7c21-9d4f-6a0b13e7c582'
const VALIDATION_ID = '0198f2c7-6f0d-7a41-b2c3-5d8e9f101112'

const ENTRY_EXAMPLE = {
  id: REQUEST_ID,
  occurred_at: '2026-11-09T08:41:00.000Z',
  livemode: true,
  source: 'api',
  method: 'POST',
  route: '/api/v1/validation/single',
  http_status: 200,
  code: null,
  key_id: KEY_ID,
  key_name: 'Sign-up form',
  duration_ms: 412,
  result_status: 'valid',
  sub_status: '',
  credits: 1,
  validation_id: VALIDATION_ID,
}

const ENTRY = {
  id: Type.String({
    description: 'The `Request-Id` of the response.',
    examples: [REQUEST_ID],
  }),
  occurred_at: Type.String({
    format: 'date-time',
    description: 'Time of the request (RFC 3339, UTC).',
    examples: [ENTRY_EXAMPLE.occurred_at],
  }),
  livemode: LivemodeField,
  source: Type.String({
    description: `Source of the request. Values may be added.${valueList(REQUEST_SOURCES)}`,
    ...extensibleEnum(REQUEST_SOURCES),
  }),
  method: Type.String({ description: 'HTTP method.', examples: ['POST'] }),
  route: Type.String({
    description: 'Route pattern, without ids, addresses or a query string.',
    examples: ['/api/v1/validation/single'],
  }),
  http_status: Type.Integer({ description: 'HTTP status of the response.', examples: [200] }),
  code: nullableString({
    description: 'The `code` of the problem in the response; null if there was none.',
    examples: ['insufficient_credits', null],
  }),
  key_id: nullableString({ format: 'uuid', description: 'The `id` of the API key.', examples: [KEY_ID] }),
  key_name: nullableString({ description: 'Name of the API key.', examples: ['Sign-up form'] }),
  duration_ms: Type.Integer({
    minimum: 0,
    description: 'Time until the response, in milliseconds.',
    examples: [412],
  }),
  result_status: nullableString({
    description: '`status` of the result if the request validated one address; null otherwise.',
    examples: ['valid', null],
  }),
  sub_status: nullableString({
    description: '`sub_status` of that result.',
    examples: ['catch_all', '', null],
  }),
  credits: nullableInteger({
    description: 'Net credits charged, after immediate refunds; null for requests that do not use credits.',
    examples: [1, null],
  }),
  validation_id: nullableString({
    format: 'uuid',
    description: 'The `id` of the validation; null if there was none.',
    examples: [VALIDATION_ID, null],
  }),
}

export type RequestEntry = Static<typeof RequestEntry>
export const RequestEntry = Type.Object(ENTRY, {
  title: 'Request log entry',
  description: 'A logged request. Its body is not stored. Fields may be added.',
  examples: [ENTRY_EXAMPLE],
})

const { row: _, position: __, ...RESULT_FIELDS } = Result.properties

/** A stored result of a single or bulk validation. */
export type RequestResult = Omit<Result, 'row' | 'position'>

export type RequestDetail = Static<typeof RequestDetail>
export const RequestDetail = Type.Object(
  {
    ...ENTRY,
    result: Type.Unsafe<RequestResult | null>({
      type: ['object', 'null'],
      required: Result.required.filter((name) => name !== 'row' && name !== 'position'),
      properties: RESULT_FIELDS,
      description:
        'The stored result of the validated address; null if there is none, if it has expired, and for keys without the `validations:read` scope.',
      examples: [null],
    }),
  },
  {
    title: 'Request log entry detail',
    description: 'A logged request with its result, as long as the result is stored. Fields may be added.',
    examples: [{ ...ENTRY_EXAMPLE, result: null }],
  },
)

export type RequestParams = Static<typeof RequestParams>
export const RequestParams = Type.Object(
  {
    request_id: Type.String({
      pattern: `^(req_)?${UUID}$`,
      maxLength: 40,
      description: 'The `Request-Id` of a response.',
      examples: [REQUEST_ID],
    }),
  },
  { title: 'Request path', description: 'The request.', examples: [{ request_id: REQUEST_ID }] },
)

const time = (description: string, example: string) =>
  Type.Optional(Type.String({ format: 'date-time', pattern: '^[1-9]', description, examples: [example] }))

export type RequestsQuery = Static<typeof RequestsQuery>
export const RequestsQuery = Type.Object(
  {
    class: Type.Optional(
      Type.Enum([...REQUEST_CLASSES], {
        type: 'string',
        description:
          'Only requests whose response has a 2xx or 3xx (`success`), a 4xx (`client_error`) or a 5xx status (`server_error`).',
        examples: ['client_error'],
      }),
    ),
    code: Type.Optional(
      Type.Enum(Object.keys(PROBLEMS), {
        type: 'string',
        description: 'Only requests whose response has a problem with this code.',
        examples: ['insufficient_credits'],
      }),
    ),
    key_id: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'Only requests with the API key with this `id`.',
        examples: [KEY_ID],
      }),
    ),
    from: time('Only requests received at this time or later (RFC 3339).', '2026-11-09T00:00:00Z'),
    to: time('Only requests received before this time (RFC 3339).', '2026-11-10T00:00:00Z'),
    cursor: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_-]+$',
        maxLength: 100,
        description: 'Cursor of the page: the `next_cursor` of the previous page.',
        examples: ['MTc5NDIxMzY2MDAwMC4w'],
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: 50,
        description: `Maximum number of requests on the page. Values above ${PAGE_LIMIT_MAX} are treated as ${PAGE_LIMIT_MAX}.`,
        examples: [50],
      }),
    ),
  },
  {
    title: 'Requests query',
    description: 'Filters of the requests. Requests must match all filters.',
    examples: [{ class: 'client_error', from: '2026-11-09T00:00:00Z' }],
  },
)

export type RequestPage = Static<typeof RequestPage>
export const RequestPage = Type.Object(
  {
    data: Type.Array(RequestEntry, { description: 'The requests, newest first.' }),
    has_more: Type.Boolean({ description: 'Whether there is another page.', examples: [false] }),
    next_cursor: nullableString({
      description:
        'Value of `cursor` for the next page; null on the last one. A page can be short or empty and still have a next one if few requests match the filters.',
      examples: ['MTc5NDIxMzY2MDAwMC4w', null],
    }),
    retention_days: Type.Integer({
      minimum: 0,
      description: 'Number of days for which requests are kept; 0 if the request log is off.',
      examples: [7],
    }),
  },
  {
    title: 'Request log page',
    description: 'One page of the requests, newest first. Fields may be added.',
    examples: [{ data: [ENTRY_EXAMPLE], has_more: false, next_cursor: null, retention_days: 7 }],
  },
)
