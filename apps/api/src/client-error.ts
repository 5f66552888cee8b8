import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { PROBLEMS } from '@probity/contract/data/problems'
import type { LastingCode } from '@probity/contract/problem'
import { Problem, problemBody } from './problem.ts'
import { newRequestId } from './request-id.ts'

/** What Node refuses before there is a request, in our words. */
const CODES: Record<string, LastingCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** Answers what never became a request: headers too large or too slow, or no HTTP at all. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const code = CODES[error.code ?? ''] ?? 'invalid_request'
  const requestId = newRequestId()
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
