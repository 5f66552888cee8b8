import { NO_TRACES, type Span, type Traces } from '@probity/telemetry/span'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** The trace span of the request, if it is traced. */
    span: Span | undefined
  }
}

/**
 * Starts a trace for each request, named by its route pattern. Trace headers of clients are ignored: they would decide how much is
 * recorded.
 */
export function traceRequests(app: FastifyInstance, traces: Traces): void {
  app.decorateRequest('span')
  if (traces === NO_TRACES) return
  app.addHook('onRequest', (request, _reply, done) => {
    const { url = 'none', config } = request.route
    if (!config.alwaysAnswered) {
      const attributes = { 'http.request.method': request.method, 'http.route': url }
      request.span = traces.begin(`${request.method} ${url}`, { kind: 'server', attributes })
    }
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    request.span?.note({ 'http.response.status_code': reply.statusCode })
    if (reply.statusCode >= 500) request.span?.fail()
    request.span?.end()
    done()
  })
}
