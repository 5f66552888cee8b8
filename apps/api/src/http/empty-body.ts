import type { FastifyInstance, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the body can be left out. The handler then gets an empty object. */
    isBodyOptional?: boolean
  }
}

/**
 * Accepts requests that announce JSON and have no body, where the route needs none: many HTTP clients send
 * `Content-Type: application/json` with every request. Where a body is required, an empty one remains malformed JSON.
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
