import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { ApiConfig } from '../config.ts'
import { authenticate, refuseForbidden } from '../door/authenticate.ts'
import { refuseForeignOrigin } from '../door/known-origin.ts'
import { READS_FILE_MS } from '../door/time-limits.ts'
import type { Route } from '../route.ts'
import { serveRoutes } from '../serve-routes.ts'
import type { Services } from '../services.ts'

/** A thousand addresses of a thousand bytes, with what JSON and the protocol need around them. */
const BODY_BYTES_MAX = 1024 * 1024 + 64 * 1024

/** The tools for agents, at /mcp: behind the door that the API has, with the same keys. */
export async function serveMcp(app: FastifyInstance, config: Pick<ApiConfig, 'publicUrl'>, services: Services) {
  const refuseForeign = refuseForeignOrigin(config.publicUrl)
  const findKey = authenticate(services)
  const recognise = async (request: FastifyRequest, reply: FastifyReply) => {
    refuseForeign(request)
    await findKey(request, reply)
  }
  await serveRoutes(app, services, { recognise, refuse: refuseForbidden }, [answerMessages])
}

/** One message of the Model Context Protocol per request, without sessions: each is answered by whichever process it comes to. */
const answerMessages: Route = async (app, services) => {
  // One of the tools reads a file, as its route does.
  const config = { isPublic: true, handlerTimeoutMs: READS_FILE_MS } as const
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    // Loaded with the first message: the library is large, and most processes never see one.
    const { answerMessage } = await import('../mcp/answer-message.ts')
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    return reply.send(await answerMessage({ app, services, request }, gone.signal))
  }
  // Of several messages at once each could spend; newer versions of the protocol have done away with them.
  const body = Type.Object({}, { additionalProperties: true })
  app.post('/mcp', { schema: { hide: true, body }, config, bodyLimit: BODY_BYTES_MAX }, answer)
  app.route({ method: ['GET', 'DELETE'], url: '/mcp', schema: { hide: true }, config, handler: answer })
}
