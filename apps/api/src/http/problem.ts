import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { KEY_PATTERN } from '@probity/contract/constants/keys'
import {
  ALL_PROBLEMS,
  type AnyProblemCode,
  type PermanentCode,
  problemType,
  type TransientCode,
} from '@probity/contract/constants/problems'
import type { ProblemBody } from '@probity/contract/schemas/problems'
import { isOutage } from '@probity/database/connection/outage'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { forgetRoute } from './known-routes.ts'
import { hasDisconnected } from './request-body.ts'

type FieldFault = { pointer: string; detail: string }
/** Sets Retry-After. */
type ComeAgain = { retryAfterS: number }
type ProblemOptions = Partial<ComeAgain> & { errors?: FieldFault[] }

/** A client error or a rejection: the client receives its text. It must never contain client input. */
export class Problem extends Error {
  readonly code: AnyProblemCode
  readonly retryAfterS: number | undefined
  readonly errors: FieldFault[] | undefined

  constructor(code: TransientCode, detail: string | undefined, options: ComeAgain)
  constructor(code: PermanentCode, detail?: string, options?: ProblemOptions)
  constructor(code: AnyProblemCode, detail: string = ALL_PROBLEMS[code].detail, options: ProblemOptions = {}) {
    super(detail)
    this.code = code
    this.retryAfterS = options.retryAfterS
    this.errors = options.errors
  }
}

/** An invalid field or header of a request, by its JSON pointer or its name. */
export function invalidField(pointer: string, detail: string): Problem {
  return new Problem('invalid_request', undefined, { errors: [{ pointer, detail }] })
}

/** Throws not_found if the object is missing. Objects of other accounts are not distinguished from missing ones. */
export function found<T>(one: T | undefined): T {
  if (one === undefined) throw new Problem('not_found')
  return one
}

/** Handles everything that is thrown: client errors become problems; bugs and outages are logged once and returned without detail. */
export function sendError(error: FastifyError | Problem, request: FastifyRequest, reply: FastifyReply) {
  // The error of a connection that ended is an ECONNRESET, as that of a database connection that ends.
  const isDisconnected = hasDisconnected(request)
  const problem = isDisconnected ? new Problem('invalid_request') : asProblem(error)
  if (isDisconnected) request.log.debug('client disconnected')
  else if (ALL_PROBLEMS[problem.code].status >= 500 && !(error instanceof Problem)) {
    request.log.error({ err: error, code: problem.code }, 'request failed')
  }
  return sendProblem(request, reply, problem)
}

export function sendNotFound(request: FastifyRequest, reply: FastifyReply) {
  forgetRoute(request)
  const methods = request.server.methodsOf(request.url)
  if (methods.length === 0) return sendProblem(request, reply, new Problem('not_found'))
  reply.header('allow', methods.join(', '))
  return sendProblem(request, reply, new Problem('method_not_allowed'))
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
  const { status, title, advice } = ALL_PROBLEMS[problem.code]
  return {
    type: problemType(problem.code),
    title,
    status,
    detail: problem.message,
    advice,
    code: problem.code,
    request_id: requestId,
    ...(problem.errors && { errors: problem.errors }),
    ...(problem.retryAfterS !== undefined && { retry_after_s: problem.retryAfterS }),
  }
}

/** Problems for errors of the framework. */
const FRAMEWORK_CODES: Record<string, PermanentCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'malformed_json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_request',
  FST_ERR_BAD_URL: 'not_found',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
}

/** PostgreSQL error codes for NUL and lone surrogates, in text and in JSON. Our own texts never contain them, so the client sent one. */
const UNSTORABLE = new Set(['22021', '22P05'])
const UNSTORABLE_DETAIL = 'The request contains NUL or another character that cannot be stored.'

const UNAVAILABLE_RETRY_S = 2

/** Maps a thrown error to a problem. */
export function asProblem(error: FastifyError | Problem): Problem {
  if (error instanceof Problem) return error
  if (error.validation) return new Problem('invalid_request', undefined, { errors: readFaults(error) })
  if (error instanceof SyntaxError) return new Problem('malformed_json')
  const known = FRAMEWORK_CODES[error.code]
  if (known) return new Problem(known)
  if (UNSTORABLE.has(error.code)) return new Problem('invalid_request', UNSTORABLE_DETAIL)
  if (isOutage(error)) return new Problem('service_unavailable', undefined, { retryAfterS: UNAVAILABLE_RETRY_S })
  return new Problem('internal_error')
}

const FAULTS_SHOWN_MAX = 10

type SchemaFault = NonNullable<FastifyError['validation']>[number]

/** Lists the invalid fields with their reasons. */
function readFaults(error: FastifyError): FieldFault[] {
  // The validator reports an unknown field a second time, under that field's own name.
  const faults = (error.validation ?? []).filter(({ keyword }) => keyword !== 'boolean').flatMap(readFault)
  return faults.slice(0, FAULTS_SHOWN_MAX)
}

function readFault({ instancePath: place = '', keyword, params, message }: SchemaFault): FieldFault[] {
  const { requiredProperties, additionalProperties = [] } = params as Record<string, string[]>
  const missing = requiredProperties?.[0]
  if (keyword === 'required' && missing) return [{ pointer: `${place}/${missing}`, detail: 'is required' }]
  if (keyword !== 'additionalProperties') return [{ pointer: place, detail: message ?? 'is not valid' }]
  const named = additionalProperties.filter(isFieldName)
  const faults = named.map((name) => ({ pointer: `${place}/${name}`, detail: 'is not a known field' }))
  return named.length < additionalProperties.length
    ? [...faults, { pointer: place, detail: 'has an unknown field' }]
    : faults
}

/** Whether an unknown field is named in the response. Other names can be data such as an address or a key. */
function isFieldName(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,50}$/.test(name) && !name.match(KEY_PATTERN)
}

/** A new request id, as used in the response and the log. */
export function newRequestId(): string {
  return `req_${randomUUID()}`
}

/** Problems for errors that Node reports before there is a request. */
const CODES: Record<string, PermanentCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** Time for the response to arrive before the connection is closed, whether or not the client is still sending. */
const CLOSE_AFTER_MS = 1_000

/** Responds to input that never became a request: headers too large or too slow, or not HTTP. */
export function sendClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET') return
  if (socket.writable) endWithProblem(socket, new Problem(CODES[error.code ?? ''] ?? 'invalid_request'))
  // A client that keeps its side open would otherwise keep the connection forever.
  setTimeout(() => socket.destroy(), CLOSE_AFTER_MS).unref()
}

/** Writes a problem to a connection without a request, and nothing after it. */
export function endWithProblem(socket: Socket, problem: Problem): void {
  const requestId = newRequestId()
  const body = JSON.stringify(problemBody(problem, requestId))
  const { status } = ALL_PROBLEMS[problem.code]
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Request-Id: ${requestId}`,
    'Cache-Control: no-store',
    ...(problem.retryAfterS === undefined ? [] : [`Retry-After: ${problem.retryAfterS}`]),
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
