import type { RequestListener, ServerResponse } from 'node:http'
import type { FastifyContextConfig, FastifyInstance } from 'fastify'
import { newRequestId, Problem, problemBody } from '../../http/problem.ts'
import { isBodyIncomplete } from '../../http/request-body.ts'
import { API_HEADERS } from '../../http/security-headers.ts'
import { whenClosed } from '../../http/when-closed.ts'
import type { InFlightTracker } from './in-flight-tracker.ts'

/** Cost of a request: high for a list, medium for an address, low for the rest. */
export type LoadClass = 'list' | 'address' | 'light'

const RETRY_AFTER_S: Record<LoadClass, number> = { list: 5, address: 1, light: 1 }
/** Average share of occupied slots from which a list is rejected. An average, so that a short peak does not reject lists. */
const TOO_BUSY_FOR_A_LIST = 0.5

/** Retry-After in seconds if no slot is free for the class; undefined if one is. */
export function shedLoadFor(loadClass: LoadClass, inFlight: InFlightTracker): number | undefined {
  if (inFlight.all < inFlight.max && hasPlaceFor(loadClass, inFlight)) return undefined
  if (isWork(loadClass)) inFlight.rejected++
  return RETRY_AFTER_S[loadClass]
}

/**
 * Lists are rejected first, when half of the slots are occupied, because no user waits for them. Requests that only read are rejected
 * last, when the process has reached its limit.
 */
function hasPlaceFor(loadClass: LoadClass, inFlight: InFlightTracker): boolean {
  if (!isWork(loadClass)) return true
  if (loadClass === 'list' && inFlight.busy >= TOO_BUSY_FOR_A_LIST) return false
  return inFlight.working < inFlight.places()
}

const isWork = (loadClass: LoadClass) => loadClass !== 'light'

/**
 * Rejects requests when the process has reached its concurrency limit, so that accepted requests are served in time and others fail at
 * once. Health checks are exempt: a supervisor would otherwise restart an overloaded process.
 *
 * A request holds its slot only while the process works on it: not while its body arrives, and not after its response was written. A slow
 * client is limited by the connection limits per network and by time-limits.ts.
 */
export function limitInFlight(app: FastifyInstance, inFlight: InFlightTracker): void {
  app.decorateRequest('slot')
  app.decorateRequest('moveToSandbox')
  app.addHook('onRequest', (request, reply, done) => {
    if (request.route.config.alwaysAnswered) return done()
    const loadClass = loadClassOf(request.route.config)
    const retryAfterS = shedLoadFor(loadClass, inFlight)
    if (retryAfterS !== undefined) return done(new Problem('overloaded', undefined, { retryAfterS }))
    const slot: Slot = { loadClass, pool: isWork(loadClass) ? 'working' : undefined, state: 'free' }
    request.slot = slot
    request.moveToSandbox = () => moveToSandbox(slot, inFlight)
    hold(slot, inFlight)
    // Emitted once per response, complete or aborted.
    whenClosed(reply.raw, () => release(slot, inFlight, 'ended'))
    done()
  })
  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (request.slot && isBodyIncomplete(request)) release(request.slot, inFlight, 'free')
    done(null, payload)
  })
  app.addHook('preValidation', (request, _reply, done) => {
    const { slot, raw } = request
    if (slot?.state !== 'free') return done()
    // The handler reads the body itself and starts its work when the body is complete.
    if (isBodyIncomplete(request)) raw.once('end', () => hold(slot, inFlight))
    else {
      const retryAfterS = shedLoadFor(slot.loadClass, inFlight)
      if (retryAfterS !== undefined) return done(new Problem('overloaded', undefined, { retryAfterS }))
      hold(slot, inFlight)
    }
    done()
  })
  app.addHook('onSend', ({ slot }, _reply, payload, done) => {
    if (slot) release(slot, inFlight, 'ended')
    done(null, payload)
  })
}

/**
 * Test mode has slots of its own: any client may send requests that wait for seconds there, and they must not occupy the slots of live
 * ones.
 */
const SANDBOX_SHARE = 0.125

export function loadClassOf(config: FastifyContextConfig = {}): LoadClass {
  return config.loadClass ?? 'light'
}

/** The slot of one request, and the pool that it counts toward. A slot that has ended is never held again. */
type Slot = { loadClass: LoadClass; pool: 'working' | 'sandbox' | undefined; state: 'free' | 'held' | 'ended' }

function moveToSandbox(slot: Slot, inFlight: InFlightTracker): void {
  if (slot.pool !== 'working') return
  if (inFlight.sandbox >= inFlight.max * SANDBOX_SHARE) throw new Problem('overloaded', undefined, { retryAfterS: 1 })
  const isHeld = slot.state === 'held'
  if (isHeld) inFlight.working--
  slot.pool = 'sandbox'
  if (isHeld) inFlight.sandbox++
}

function hold(slot: Slot, inFlight: InFlightTracker): void {
  if (slot.state !== 'free') return
  slot.state = 'held'
  inFlight.all++
  if (slot.pool) inFlight[slot.pool]++
}

function release(slot: Slot, inFlight: InFlightTracker, state: 'free' | 'ended'): void {
  if (slot.state === 'held') {
    inFlight.all--
    if (slot.pool) inFlight[slot.pool]--
  }
  if (slot.state !== 'ended') slot.state = state
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Missing for routes that are always answered. */
    slot: Slot | undefined
    /** Changes the pool of a request in test mode, once it is known to be one. Throws if no slot of the sandbox is free. */
    moveToSandbox?: () => void
  }
  interface FastifyContextConfig {
    /** Answered even by a process that rejects all other requests. */
    alwaysAnswered?: boolean
    /** Cost of the request; `light` by default. */
    loadClass?: LoadClass
  }
}

/**
 * Rejects a request before Fastify parses it, if limitInFlight would reject it later. At twice the capacity every second request ends
 * here, so its cost reduces the goodput. For the same reason rejections are counted and not logged.
 */
export function openLoadShedding(
  { inFlight, stopping }: { inFlight: InFlightTracker; stopping: AbortSignal },
  count: (method: string, route: string) => void,
) {
  /** Load classes by method and path, for routes with a fixed path. All routes of the higher classes have one. */
  const classes = new Map<string, LoadClass>()
  return {
    /** Learns the classes of routes as they are registered. */
    learn(app: FastifyInstance): void {
      app.addHook('onRoute', ({ method, url, config }) => {
        if (config?.alwaysAnswered || /[:*]/.test(url)) return
        for (const one of [method].flat()) classes.set(`${one} ${url}`, loadClassOf(config))
      })
    },
    before(handle: RequestListener): RequestListener {
      return (request, response) => {
        const { method = '', url = '' } = request
        const path = url.split('?', 1)[0] ?? ''
        const loadClass = classes.get(`${method} ${path}`)
        const retryAfterS = loadClass && shedLoadFor(loadClass, inFlight)
        if (retryAfterS === undefined || stopping.aborted) return handle(request, response)
        count(method, path)
        answer(response, retryAfterS)
      }
    },
  }
}

type Refusal = { status: number; headers: string[]; beforeId: string; afterId: string }

/** A placeholder request id; all ids have the same length. */
const ANY_ID = newRequestId()
const refusals = new Map<number, Refusal>()

/** The response without the request id. It is the same for all clients and built once. */
function refusalFor(retryAfterS: number): Refusal {
  const made = refusals.get(retryAfterS)
  if (made) return made
  const body = problemBody(new Problem('overloaded', undefined, { retryAfterS }), ANY_ID)
  const text = JSON.stringify(body)
  const [beforeId = '', afterId = ''] = text.split(ANY_ID)
  const headers = {
    ...API_HEADERS,
    'content-type': 'application/problem+json',
    'content-length': String(Buffer.byteLength(text)),
    'retry-after': String(retryAfterS),
  }
  const refusal = { status: body.status, headers: Object.entries(headers).flat(), beforeId, afterId }
  refusals.set(retryAfterS, refusal)
  return refusal
}

function answer(response: ServerResponse, retryAfterS: number): void {
  const { status, headers, beforeId, afterId } = refusalFor(retryAfterS)
  const requestId = newRequestId()
  response.writeHead(status, [...headers, 'request-id', requestId])
  response.end(beforeId + requestId + afterId)
}
