import type { Static } from 'typebox'
import Type from 'typebox'
import { PROBLEMS } from '../constants/data/problems.ts'
import { type ProblemCode, problemType } from '../constants/problems.ts'
import { extensibleEnum } from './fields.ts'

const REQUEST_ID = 'req_0198f2c4-7b1e-7d3a-9c55-2f8e6a1b4d07'

export type ProblemBody = Static<typeof ProblemBody>
export const ProblemBody = Type.Object(
  {
    type: Type.String({
      format: 'uri-reference',
      description:
        'URL of the documentation of the problem: `/docs/errors#` and the code, relative to the URL of the service.',
      examples: ['/docs/errors#insufficient_credits'],
    }),
    title: Type.String({
      description: 'Short summary of the problem, the same for every problem with this code.',
      examples: [PROBLEMS.insufficient_credits.title],
    }),
    status: Type.Integer({
      minimum: 400,
      maximum: 599,
      description: 'The HTTP status code of the response.',
      examples: [402],
    }),
    detail: Type.String({
      description:
        'Explanation of this occurrence of the problem, for people. The wording may change: do not parse it.',
      examples: [PROBLEMS.insufficient_credits.detail],
    }),
    advice: Type.String({
      description: 'How to correct the problem, for people, the same for every problem with this code.',
      examples: [PROBLEMS.insufficient_credits.advice],
    }),
    code: Type.String({
      title: 'Problem code',
      ...extensibleEnum(PROBLEMS),
      description: `Machine-readable code of the problem. The meaning of a code never changes. Codes may be added: use \`status\` for unrecognized codes. Known codes: ${codeList()}.`,
    }),
    request_id: Type.String({
      description: 'Id of the request. Include it when you contact the operator.',
      examples: [REQUEST_ID],
    }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          pointer: Type.String({
            description: 'Location of the error: a JSON Pointer (RFC 6901) into the body, or the name of a parameter.',
            examples: ['/emails/3', 'limit'],
          }),
          detail: Type.String({
            description: 'Description of the error, without the value.',
            examples: ['must be a string'],
          }),
        }),
        { description: 'The errors of the request, if the request is invalid.' },
      ),
    ),
    retry_after_s: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Number of seconds to wait before a retry, equal to the Retry-After header.',
        examples: [7],
      }),
    ),
  },
  {
    title: 'Problem',
    description:
      'Why a request failed, as application/problem+json (RFC 9457). It contains no addresses, keys or other values of the request, except the names of unknown fields, so it can be logged.',
    examples: [
      problemExample('insufficient_credits'),
      problemExample('invalid_request', undefined, [{ pointer: '/emails/3', detail: 'must be a string' }]),
    ],
  },
)

/** An example body for the API description, with the usual `detail`, and with `retry_after_s` if real responses have it. */
export function problemExample(
  code: ProblemCode,
  detail: string = PROBLEMS[code].detail,
  errors?: { pointer: string; detail: string }[],
) {
  const { status, title, advice } = PROBLEMS[code]
  const seconds = retryExample(code)
  return {
    type: problemType(code),
    title,
    status,
    detail,
    advice,
    code,
    request_id: REQUEST_ID,
    ...(errors && { errors }),
    ...(seconds !== undefined && { retry_after_s: seconds }),
  }
}

function retryExample(code: ProblemCode): number | undefined {
  const examples: Partial<Record<ProblemCode, number>> = {
    idempotency_in_progress: 1,
    rate_limited: 7,
    overloaded: 2,
    account_on_hold: 600,
    service_unavailable: 5,
  }
  return examples[code]
}

function codeList(): string {
  return Object.keys(PROBLEMS)
    .map((code) => `\`${code}\``)
    .join(', ')
}
