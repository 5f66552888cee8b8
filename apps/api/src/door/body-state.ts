import type { FastifyRequest } from 'fastify'

/** Whether the headers announce a body. */
export function hasBody({ headers }: FastifyRequest): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers
  return encoding !== undefined || (length !== undefined && length !== '0')
}

/** Whether some of the body is still to come. Requests of our own tools (mcp/ask-api.ts) have no `complete`: theirs ends when it has been read. */
export function isBodyIncomplete(request: FastifyRequest): boolean {
  const { complete, readableEnded } = request.raw
  return !complete && !readableEnded && hasBody(request)
}

/** Whether the connection ended before the body did. What waits for the rest of the body would wait for ever. */
export function hasDisconnected({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete
}
