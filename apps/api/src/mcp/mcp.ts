import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Route } from '../http/route.ts'
import { whenClosed } from '../http/when-closed.ts'
import {
  type AuthenticationDependencies,
  authenticate,
  refuseForbidden,
} from '../middleware/authentication/authenticate.ts'
import { refuseForeignOrigin } from '../middleware/authentication/origins.ts'
import { READS_FILE_MS } from '../middleware/load-shedding/time-limits.ts'
import { type AdmissionDependencies, serveRoutes } from '../middleware/serve-routes.ts'
import type { ToolDependencies } from './call-api.ts'

type McpDependencies = ToolDependencies & AuthenticationDependencies & AdmissionDependencies

/** 1,000 addresses of 1,000 bytes, plus JSON and the envelope of the protocol. */
const BODY_BYTES_MAX = 1024 * 1024 + 64 * 1024

/** The MCP endpoint `/mcp`, with the authentication and limits of the API. */
export async function serveMcp(
  app: FastifyInstance,
  config: { publicUrl: string | undefined },
  services: McpDependencies,
) {
  const refuseForeign = refuseForeignOrigin(config.publicUrl)
  const findKey = authenticate(services)
  const recognise = async (request: FastifyRequest, reply: FastifyReply) => {
    refuseForeign(request)
    await findKey(request, reply)
  }
  await serveRoutes(app, services, { recognise, refuse: refuseForbidden }, [handleMessages])
}

/** One message of the Model Context Protocol per request, without sessions: any process can handle any message. */
const handleMessages: Route<ToolDependencies> = async (app, services) => {
  // estimate_job reads a file, so the time limit of uploads applies.
  const config = { isPublic: true, handlerTimeoutMs: READS_FILE_MS } as const
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    // Loaded with the first message: the library is large, and most processes never get one.
    const { handleMessage } = await import('./handle-message.ts')
    const disconnected = new AbortController()
    whenClosed(reply.raw, () => disconnected.abort())
    return reply.send(await handleMessage({ app, services, request }, disconnected.signal))
  }
  // Arrays are rejected: each message of a batch could spend credits, and newer protocol versions have no batches.
  const body = Type.Object({}, { additionalProperties: true })
  app.post('/mcp', { schema: { hide: true, body }, config, bodyLimit: BODY_BYTES_MAX }, handler)
  app.route({ method: ['GET', 'DELETE'], url: '/mcp', schema: { hide: true }, config, handler })
}
