import type { FastifyInstance } from 'fastify'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { whenClosed } from '../../http/when-closed.ts'

/** From immediate responses to the longest `timeout` of a validation. */
const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export type RequestCounts = ReturnType<typeof openRequestCounts>

export function openRequestCounts(registry: Registry) {
  const registers = [registry]
  const requests = new Counter({
    name: 'probity_http_requests_total',
    help: 'HTTP requests, by method, route pattern and status class.',
    labelNames: ['method', 'route', 'status'] as const,
    registers,
  })
  const problems = new Counter({
    name: 'probity_http_problems_total',
    help: 'Problem responses, by code. The code overloaded is shed load.',
    labelNames: ['code'] as const,
    registers,
  })
  problems.inc({ code: 'overloaded' }, 0) // Prometheus sees no increase if the first sample is above zero
  const durations = new Histogram({
    name: 'probity_http_request_duration_seconds',
    help: 'Request duration, by route pattern. Includes time spent waiting for a verdict.',
    labelNames: ['route'] as const,
    buckets: SECONDS,
    registers,
  })
  const inFlight = new Gauge({
    name: 'probity_http_requests_in_flight',
    help: 'Requests in progress.',
    registers,
  })
  return {
    requests,
    problems,
    durations,
    inFlight,
    /** Counts a request that load shedding rejected before it was parsed. */
    rejected(method: string, route: string): void {
      requests.inc({ method, route, status: '5xx' })
      problems.inc({ code: 'overloaded' })
    },
  }
}

/**
 * Counts responses by route pattern, never by URL: a URL can contain an address, and clients could create any number of series. Uses
 * callbacks, as all hooks that run for every request do.
 */
export function countRequests(app: FastifyInstance, { requests, problems, durations, inFlight }: RequestCounts): void {
  app.addHook('onRequest', (_request, reply, done) => {
    inFlight.inc()
    // Emitted once per response, also when the client disconnects.
    whenClosed(reply.raw, () => inFlight.dec())
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.route.url ?? 'none'
    requests.inc({ method: request.method, route, status: `${Math.floor(reply.statusCode / 100)}xx` })
    durations.observe({ route }, reply.elapsedTime / 1_000)
    if (request.problemCode !== undefined) problems.inc({ code: request.problemCode })
    done()
  })
}
