import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { PROBLEMS } from '@probity/contract/data/problems'
import type { ProblemCode } from '@probity/contract/problem'
import { Problem, problemBody } from './problem.ts'

/** What Node refuses before there is a request, in our words. */
const CODES: Record<string, ProblemCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** Answers what never became a request: headers too large or too slow, or no HTTP at all. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const code = CODES[error.code ?? ''] ?? 'invalid_request'
  const requestId = `req_${randomUUID()}`
  const body = JSON.stringify(problemBody(new Problem(code), requestId))
  const { status } = PROBLEMS[code]
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Request-Id: ${requestId}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
