import { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RequestLimits } from '../../http/limits.ts'
import { Problem, sendClientError } from '../../http/problem.ts'
import { hasBody, hasDisconnected } from '../../http/request-body.ts'

const RETRY_AFTER_S = 5
const TOOK_TOO_LONG = 'The request took too long.'

/** For routes that read an uploaded file, which takes up to 120 s (uploads/reader.ts). */
export const READS_FILE_MS = 150_000

type Limits = Pick<RequestLimits, 'handlerTimeoutMs' | 'handlerGraceMs' | 'uploadTimeoutMs' | 'writeTimeoutMs'>

/**
 * Ends each request that takes too long, whatever its handler waits for. Fastify's own `handlerTimeout` is fixed per route and also ends
 * responses that are being streamed. Here a route with a `timeout` is limited by that, and the limit ends with the beginning of the
 * response: from
 * then on the client must keep reading it.
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
    // Node disconnects a client that reads nothing of the response for that long. Exports have set a timeout of their own.
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

/** sendError recognizes it by the state of the request. */
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
    /** Time limit of the handler until it responds, if different from the default. */
    handlerTimeoutMs?: number
    /** For routes with a `timeout` in the body or the query: its default. The handler may take a few seconds longer. */
    waitsS?: number
  }
}

type BodyLimits = Pick<RequestLimits, 'requestTimeoutMs' | 'uploadTimeoutMs' | 'uploadBytesPerSecondMin'>

/**
 * Disconnects clients that take too long to send a body. Node has one limit for all requests, which must fit the largest body. Here every
 * other route has a shorter one, and a large body must arrive at a minimum rate.
 */
export function limitSlowBodies(app: FastifyInstance, limits: BodyLimits): void {
  const { requestTimeoutMs } = limits
  /** Bytes received on a connection when its last body was complete: the beginning of the next may have arrived together with its head. */
  const bytesBefore = new WeakMap<Socket, number>()
  app.addHook('onRequest', (request, _reply, done) => {
    const { socket } = request.raw
    // Requests of MCP tools to our own routes use no socket, so they cannot be slow.
    if (hasBody(request) && socket instanceof Socket) {
      const began = { at: performance.now(), bytes: bytesBefore.get(socket) ?? 0 }
      const look = () => {
        if (request.raw.complete || request.raw.readableEnded) return
        if (isTooSlow(request, began, limits)) disconnect(request)
        else timer.refresh()
      }
      const timer = setTimeout(look, requestTimeoutMs).unref()
      request.raw.once('close', () => {
        clearTimeout(timer)
        bytesBefore.set(socket, socket.bytesRead)
      })
    }
    done()
  })
}

type Beginning = { at: number; bytes: number }

function isTooSlow({ raw, route }: FastifyRequest, began: Beginning, limits: BodyLimits): boolean {
  if (!route.config.largeBody) return true
  const elapsedMs = performance.now() - began.at
  const bytes = raw.socket.bytesRead - began.bytes
  return elapsedMs > limits.uploadTimeoutMs || bytes < (elapsedMs / 1000) * limits.uploadBytesPerSecondMin
}

/** Sends the response of Node's own limit. */
function disconnect({ raw: { socket } }: FastifyRequest): void {
  sendClientError(Object.assign(new Error('slow body'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Accepts a body so large that sending it takes minutes. */
    largeBody?: boolean
  }
}
