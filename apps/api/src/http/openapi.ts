import { PROBLEMS } from '@probity/contract/constants/data/problems'
import type { ProblemCode } from '@probity/contract/constants/problems'
import { ProblemBody, problemExample } from '@probity/contract/schemas/problems'
import type { TSchema } from 'typebox'
import { type HeaderName, SENDS } from './openapi-headers.ts'
import type { TagName } from './openapi-tags.ts'

/** What any route under /api/v1 may answer before it looks at the request itself. */
export const DOOR_PROBLEMS: ProblemCode[] = [
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

/** What every POST may answer besides, but the upload of a file. */
export const IDEMPOTENCY_PROBLEMS: ProblemCode[] = ['idempotency_in_progress', 'idempotency_mismatch']

/** What a route that spends may answer besides. */
export const SPENDING_PROBLEMS: ProblemCode[] = [
  'invalid_request',
  'insufficient_credits',
  'api_key_cap_reached',
  'account_on_hold',
  ...IDEMPOTENCY_PROBLEMS,
  'concurrency_limited',
  ...DOOR_PROBLEMS,
]

/** What a route that spends sends with its answer. */
export const SPENDING_HEADERS = ['Credits-Charged', 'Credits-Remaining'] as const

/** What a route that takes JSON may answer besides. */
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

/** A route's schema: what it takes, what it answers, and every way it may say no with an example of each. */
export function operation<const P extends Parts>(meaning: Meaning, parts: P): P {
  const { id, tag, summary, description, problems, sends = [] } = meaning
  const response = { ...parts.response, ...problemAnswers(problems) }
  // Typed as the parts alone: handlers return answers, and problems are thrown.
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
