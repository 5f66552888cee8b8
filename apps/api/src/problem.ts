import { PROBLEMS } from '@probity/contract/data/problems'
import {
  type LastingCode,
  type PassingCode,
  type ProblemBody,
  type ProblemCode,
  problemType,
} from '@probity/contract/problem'
import { isOutage } from '@probity/database/outage'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { hasDisconnected } from './door/body-state.ts'
import { forgetRoute } from './door/known-route.ts'

type FieldFault = { pointer: string; detail: string }
/** Says when to come again. */
type ComeAgain = { retryAfterS: number }
type ProblemOptions = Partial<ComeAgain> & { errors?: FieldFault[] }

/** A customer's mistake, or our saying no: what is thrown here is what they read. Never put their input into it. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly retryAfterS: number | undefined
  readonly errors: FieldFault[] | undefined

  constructor(code: PassingCode, detail: string | undefined, options: ComeAgain)
  constructor(code: LastingCode, detail?: string, options?: ProblemOptions)
  constructor(code: ProblemCode, detail: string = PROBLEMS[code].advice, options: ProblemOptions = {}) {
    super(detail)
    this.code = code
    this.retryAfterS = options.retryAfterS
    this.errors = options.errors
  }
}

/** What was looked for. Another's is answered like one that never was. */
export function found<T>(one: T | undefined): T {
  if (one === undefined) throw new Problem('not_found')
  return one
}

/** The last stop of everything thrown: mistakes are answered, bugs and outages are logged once and answered without detail. */
export function answerError(error: FastifyError | Problem, request: FastifyRequest, reply: FastifyReply) {
  // The error of a connection that ended is an ECONNRESET, as that of a database connection that ends.
  const isDisconnected = hasDisconnected(request)
  const problem = isDisconnected ? new Problem('invalid_request') : asProblem(error)
  if (isDisconnected) request.log.debug('client disconnected')
  else if (PROBLEMS[problem.code].status >= 500 && !(error instanceof Problem)) {
    request.log.error({ err: error, code: problem.code }, 'request failed')
  }
  return sendProblem(request, reply, problem)
}

export function answerMissing(request: FastifyRequest, reply: FastifyReply) {
  forgetRoute(request)
  return sendProblem(request, reply, new Problem('not_found'))
}

function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem) {
  const body = problemBody(problem, request.id)
  request.problemCode = problem.code
  if (problem.retryAfterS !== undefined) reply.header('retry-after', problem.retryAfterS)
  return reply
    .code(body.status)
    .header('content-type', 'application/problem+json')
    .serializer((value: unknown) => JSON.stringify(value))
    .send(body)
}

export function problemBody(problem: Problem, requestId: string): ProblemBody {
  const { status, title } = PROBLEMS[problem.code]
  return {
    type: problemType(problem.code),
    title,
    status,
    detail: problem.message,
    code: problem.code,
    request_id: requestId,
    ...(problem.errors && { errors: problem.errors }),
    ...(problem.retryAfterS !== undefined && { retry_after_s: problem.retryAfterS }),
  }
}

/** What the framework's own refusals are in our words. */
const FRAMEWORK_CODES: Record<string, LastingCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'malformed_json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_request',
  FST_ERR_BAD_URL: 'not_found',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
}

/** PostgreSQL's error codes for NUL and half surrogate pairs, in a text and in JSON. No text of our own has them, so the client sent one. */
const UNSTORABLE = new Set(['22021', '22P05'])
const UNSTORABLE_DETAIL = 'A text has a character that cannot be stored. Remove NUL characters.'

const UNAVAILABLE_RETRY_S = 2

/** What a thing that was thrown is in our words. */
export function asProblem(error: FastifyError | Problem): Problem {
  if (error instanceof Problem) return error
  if (error.validation) return new Problem('invalid_request', undefined, { errors: readFaults(error) })
  if (error instanceof SyntaxError) return new Problem('malformed_json')
  const known = FRAMEWORK_CODES[error.code]
  if (known) return new Problem(known)
  if (UNSTORABLE.has(error.code)) return new Problem('invalid_request', UNSTORABLE_DETAIL)
  if (isOutage(error)) return new Problem('unavailable', undefined, { retryAfterS: UNAVAILABLE_RETRY_S })
  return new Problem('internal')
}

const FAULTS_SHOWN_MAX = 10

/** Says which field is wrong and why. Names of unknown fields are the caller's own text and stay out. */
function readFaults(error: FastifyError): FieldFault[] {
  const faults = (error.validation ?? []).map((fault): FieldFault => {
    const place = fault.instancePath || ''
    const missing = (fault.params as { requiredProperties?: string[] }).requiredProperties?.[0]
    if (fault.keyword === 'required' && missing) return { pointer: `${place}/${missing}`, detail: 'is required' }
    if (fault.keyword === 'additionalProperties')
      return { pointer: place, detail: 'has a field that is not known here' }
    return { pointer: place, detail: fault.message ?? 'is not valid' }
  })
  // The checker reports an unknown field a second time, under that field's own name.
  const ours = faults.filter((_, n) => error.validation?.[n]?.keyword !== 'boolean')
  return ours.slice(0, FAULTS_SHOWN_MAX)
}
