import { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { hasBody } from '../../http/body-state.ts'
import { answerClientError } from '../../http/client-error.ts'
import type { RequestLimits } from '../../http/limits.ts'

type Limits = Pick<RequestLimits, 'requestTimeoutMs' | 'uploadTimeoutMs' | 'uploadBytesPerSecondMin'>

/**
 * Hangs up on whoever takes too long to send a body. Node knows one time for all requests, which has to be that of the largest;
 * here every other route gets its shorter one, and a large body must come at a certain rate at least.
 */
export function limitSlowBodies(app: FastifyInstance, limits: Limits): void {
  const { requestTimeoutMs } = limits
  /** What had come on a connection when its last body was there: the beginning of the next may have come together with its head. */
  const bytesBefore = new WeakMap<Socket, number>()
  app.addHook('onRequest', (request, _reply, done) => {
    const { socket } = request.raw
    // What a tool of an agent asks of our own routes comes over no network: nobody is slow there, and there is nobody to leave.
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

function isTooSlow({ raw, route }: FastifyRequest, began: Beginning, limits: Limits): boolean {
  if (!route.config.largeBody) return true
  const elapsedMs = performance.now() - began.at
  const bytes = raw.socket.bytesRead - began.bytes
  return elapsedMs > limits.uploadTimeoutMs || bytes < (elapsedMs / 1000) * limits.uploadBytesPerSecondMin
}

/** With the response that Node's own limit has. */
function disconnect({ raw: { socket } }: FastifyRequest): void {
  answerClientError(Object.assign(new Error('slow body'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Takes a body that may be so large that sending it takes minutes. */
    largeBody?: boolean
  }
}
