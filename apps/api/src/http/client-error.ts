import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { ALL_PROBLEMS, type PermanentCode } from '@probity/contract/constants/problems'
import { Problem, problemBody } from './problem.ts'
import { newRequestId } from './request-id.ts'

/** What Node refuses before there is a request, in our words. */
const CODES: Record<string, PermanentCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** For the response to arrive, before the connection is closed whether the client goes on sending or not. */
const CLOSE_AFTER_MS = 1_000

/** Answers what never became a request: headers too large or too slow, or no HTTP at all. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET') return
  if (socket.writable) endWithProblem(socket, new Problem(CODES[error.code ?? ''] ?? 'invalid_request'))
  // A client that keeps its side open would otherwise keep the connection for ever.
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
