import { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hasDisconnected } from '../../http/body-state.ts'
import type { RequestLimits } from '../../http/limits.ts'
import { Problem } from '../../http/problem.ts'

const RETRY_AFTER_S = 5
const TOOK_TOO_LONG = 'The request took too long. Retry after a short wait. An idempotency key makes the retry safe.'

/** For routes that read an uploaded file, which takes up to 120 s (uploads/reader.ts). */
export const READS_FILE_MS = 150_000

type Limits = Pick<RequestLimits, 'handlerTimeoutMs' | 'handlerGraceMs' | 'uploadTimeoutMs' | 'writeTimeoutMs'>

/**
 * Ends each request that takes too long, whatever its handler waits for. Fastify's own `handlerTimeout` is fixed per route and also ends responses
 * that are being streamed. Here a route with a `timeout` is limited by that, and the limit ends with the beginning of the response: from then on
 * the client must keep reading it.
 */
export function limitTime(app: FastifyInstance, limits: Limits): void {
  const { handlerTimeoutMs, handlerGraceMs, uploadTimeoutMs, writeTimeoutMs } = limits
  app.decorateRequest('handlerTimer')

  function start(request: FastifyRequest, reply: FastifyReply, ms: number): void {
    clearTimeout(request.handlerTimer)
    request.handlerTimer = setTimeout(expire, ms, request, reply).unref()
  }

  app.addHook('onRequest', (request, reply, done) => {
    const { config } = request.route
    start(request, reply, (config.handlerTimeoutMs ?? handlerTimeoutMs) + (config.largeBody ? uploadTimeoutMs : 0))
    done()
  })
  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (hasDisconnected(request)) done(disconnected(), payload)
    else done(null, payload)
  })
  app.addHook('preHandler', (request, reply, done) => {
    if (hasDisconnected(request)) return done(disconnected())
    const { waitsS } = request.route.config
    if (waitsS !== undefined) start(request, reply, (requestedTimeoutS(request) ?? waitsS) * 1_000 + handlerGraceMs)
    done()
  })
  app.addHook('onSend', ({ handlerTimer, raw: { socket } }, _reply, payload, done) => {
    clearTimeout(handlerTimer)
    // Node disconnects a client that takes none of the response for that long. Exports have set a time of their own.
    if (socket instanceof Socket && !socket.timeout) socket.setTimeout(writeTimeoutMs)
    done(null, payload)
  })
}

function expire(request: FastifyRequest, reply: FastifyReply): void {
  if (reply.sent) return
  const { id: requestId, method, route } = request
  request.log.error({ requestId, method, route: route.url }, 'handler exceeded its time limit')
  reply.send(new Problem('service_unavailable', TOOK_TOO_LONG, { retryAfterS: RETRY_AFTER_S }))
}

/** answerError knows it by the state of the request. */
const disconnected = () => new Problem('invalid_request')

function requestedTimeoutS({ body, query }: FastifyRequest): number | undefined {
  const { timeout } = (body ?? query ?? {}) as { timeout?: number }
  return timeout
}

declare module 'fastify' {
  interface FastifyRequest {
    handlerTimer: NodeJS.Timeout | undefined
  }
  interface FastifyContextConfig {
    /** How long the handler may take until it responds, where that is not the usual time. */
    handlerTimeoutMs?: number
    /** For routes with a `timeout` in the body or the query: its default. The handler may take that and a few seconds. */
    waitsS?: number
  }
}
