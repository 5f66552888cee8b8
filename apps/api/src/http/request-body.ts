import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { whenClosed } from './when-closed.ts'

/** Whether the headers announce a body. */
export function hasBody({ headers }: FastifyRequest): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers
  return encoding !== undefined || (length !== undefined && length !== '0')
}

/**
 * Whether part of the body has not arrived. Requests within the process (mcp/call-api.ts) have no `complete`: their body is always whole.
 */
export function isBodyIncomplete(request: FastifyRequest): boolean {
  const { complete = true, readableEnded } = request.raw
  return !complete && !readableEnded && hasBody(request)
}

/** Whether the connection ended before the body did. Waiting for the rest would never end. */
export function hasDisconnected({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the body can be omitted. The handler then gets an empty object. */
    isBodyOptional?: boolean
  }
}

/**
 * Accepts requests that announce JSON and have no body, if the route needs none: many HTTP clients send `Content-Type: application/json`
 * with
 * every request. If a body is required, an empty one remains malformed JSON.
 */
export function acceptEmptyBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '' && !needsBody(request)) done(null, undefined)
    else void parse(request, body, done)
  })
  app.addHook('onRoute', (route) => {
    if (route.config?.isBodyOptional) route.preValidation = [fillBody, ...[route.preValidation ?? []].flat()]
  })
}

function needsBody({ route }: FastifyRequest): boolean {
  return route.schema?.body !== undefined && !route.config.isBodyOptional
}

function fillBody(request: FastifyRequest, _reply: unknown, done: () => void): void {
  request.body ??= {}
  done()
}

/** Aborts when the client disconnects before the response is sent. */
export function disconnectSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  whenClosed(raw, () => {
    if (!raw.writableFinished) controller.abort()
  })
  return controller.signal
}
