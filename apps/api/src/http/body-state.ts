import type { FastifyRequest } from 'fastify'

/** Whether the headers announce a body. */
export function hasBody({ headers }: FastifyRequest): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers
  return encoding !== undefined || (length !== undefined && length !== '0')
}

/** Whether some of the body is still to come. Requests within the process (mcp/call-api.ts) have no `complete`: they bring their whole body. */
export function isBodyIncomplete(request: FastifyRequest): boolean {
  const { complete = true, readableEnded } = request.raw
  return !complete && !readableEnded && hasBody(request)
}

/** Whether the connection ended before the body did. What waits for the rest of the body would wait for ever. */
export function hasDisconnected({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete
}
