import type { FastifyInstance } from 'fastify'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** From what is answered at once to the longest that a caller may wait for a verdict. */
const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export type RequestCounts = ReturnType<typeof openRequestCounts>

export function openRequestCounts(registry: Registry) {
  const registers = [registry]
  const requests = new Counter({
    name: 'probity_http_requests_total',
    help: 'Requests that were answered, by the pattern of the route and the class of the status.',
    labelNames: ['method', 'route', 'status'] as const,
    registers,
  })
  const problems = new Counter({
    name: 'probity_http_problems_total',
    help: 'Answers with a problem, by its code. The code overloaded is load that was shed.',
    labelNames: ['code'] as const,
    registers,
  })
  problems.inc({ code: 'overloaded' }, 0) // a counter that begins above zero has not risen, for Prometheus
  const durations = new Histogram({
    name: 'probity_http_request_duration_seconds',
    help: 'How long answers took, by the pattern of the route. Waiting for a verdict is in it.',
    labelNames: ['route'] as const,
    buckets: SECONDS,
    registers,
  })
  const inFlight = new Gauge({
    name: 'probity_http_requests_in_flight',
    help: 'Requests that are being answered.',
    registers,
  })
  return {
    requests,
    problems,
    durations,
    inFlight,
    /** Counts a request that was turned away before anything was made of it. */
    turnedAway(method: string, route: string): void {
      requests.inc({ method, route, status: '5xx' })
      problems.inc({ code: 'overloaded' })
    },
  }
}

/**
 * Counts every answer by the pattern of its route, never by its URL: that may hold an address, and anybody could make up new ones. As callbacks,
 * like all that runs for every request.
 */
export function countRequests(app: FastifyInstance, { requests, problems, durations, inFlight }: RequestCounts): void {
  app.addHook('onRequest', (_request, reply, done) => {
    inFlight.inc()
    // Comes once for every answer, whether it was sent whole or the caller went away.
    reply.raw.once('close', () => inFlight.dec())
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
