import type { FastifyInstance } from 'fastify'
import { Problem } from '../problem.ts'

const RETRY_AFTER_S = 1

/**
 * Turns requests away at the door when the process has enough to do: whoever is let in is then served in good time, and
 * whoever is not learns it at once. Health checks pass, or an overloaded process would be taken for a dead one.
 */
export function limitInFlight(app: FastifyInstance, inFlightMax: number): void {
  let inFlight = 0
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.alwaysAnswered) return done()
    if (inFlight >= inFlightMax) return done(new Problem('overloaded', undefined, { retryAfterS: RETRY_AFTER_S }))
    inFlight++
    // Comes once for every answer, whether it was sent whole or the caller went away.
    reply.raw.once('close', () => inFlight--)
    done()
  })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answered even by a process that turns everybody else away. */
    alwaysAnswered?: boolean
  }
}
