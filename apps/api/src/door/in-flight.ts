import type { FastifyContextConfig, FastifyInstance } from 'fastify'
import { Problem } from '../problem.ts'
import type { Crowd } from './crowd.ts'

/** What a request costs us: a list makes much work, an address some, and the rest hardly any. */
export type LoadClass = 'list' | 'address' | 'light'

const RETRY_AFTER_S: Record<LoadClass, number> = { list: 5, address: 1, light: 1 }
/** A process is too busy for a list when so many of its places were taken for a while: one that is held up for a moment is not. */
const TOO_BUSY_FOR_A_LIST = 0.5

/** After how many seconds one of this class may come again, where it is turned away for want of a place. */
export function turnAwayFor(loadClass: LoadClass, crowd: Crowd): number | undefined {
  if (crowd.all < crowd.max && hasPlaceFor(loadClass, crowd)) return undefined
  if (isWork(loadClass)) crowd.turnedAway++
  return RETRY_AFTER_S[loadClass]
}

/**
 * Who is turned away first: whoever brings a list finds no place when half of them are taken, and can come back later without
 * anybody waiting in front of a form. Looking at what there is comes last, and is stopped only where the process is full altogether.
 */
function hasPlaceFor(loadClass: LoadClass, crowd: Crowd): boolean {
  if (!isWork(loadClass)) return true
  if (loadClass === 'list' && crowd.busy >= TOO_BUSY_FOR_A_LIST) return false
  return crowd.working < crowd.places()
}

const isWork = (loadClass: LoadClass) => loadClass !== 'light'

/**
 * Turns requests away at the door when the process has enough to do: whoever is let in is then served in good time, and
 * whoever is not learns it at once. Health checks pass, or an overloaded process would be taken for a dead one.
 */
export function limitInFlight(app: FastifyInstance, crowd: Crowd): void {
  app.decorateRequest('moveToSandbox')
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.alwaysAnswered) return done()
    const loadClass = loadClassOf(request.routeOptions.config)
    const retryAfterS = turnAwayFor(loadClass, crowd)
    if (retryAfterS !== undefined) return done(new Problem('overloaded', undefined, { retryAfterS }))
    crowd.all++
    let counted: 'working' | 'sandbox' | undefined = isWork(loadClass) ? 'working' : undefined
    if (counted) crowd[counted]++
    request.moveToSandbox = () => {
      if (counted !== 'working') return
      crowd.working--
      counted = undefined
      if (crowd.sandbox >= crowd.max * SANDBOX_SHARE) throw new Problem('overloaded', undefined, { retryAfterS: 1 })
      crowd.sandbox++
      counted = 'sandbox'
    }
    // Comes once for every answer, whether it was sent whole or the caller went away.
    reply.raw.once('close', () => {
      crowd.all--
      if (counted) crowd[counted]--
    })
    done()
  })
}

/** Test mode has slots of its own: any client may send requests that wait for seconds there, and they must not take those of live ones. */
const SANDBOX_SHARE = 0.125

export function loadClassOf(config: FastifyContextConfig = {}): LoadClass {
  return config.loadClass ?? 'light'
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Changes the slot of a request in test mode, once it is known to be one; throws where no slot is free. */
    moveToSandbox?: () => void
  }
  interface FastifyContextConfig {
    /** Answered even by a process that turns everybody else away. */
    alwaysAnswered?: boolean
    /** What it costs us; light where nothing is said. */
    loadClass?: LoadClass
  }
}
