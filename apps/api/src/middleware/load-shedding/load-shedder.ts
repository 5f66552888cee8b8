import type { RequestListener, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Problem, problemBody } from '../../http/problem.ts'
import { newRequestId } from '../../http/request-id.ts'
import { API_HEADERS } from '../../http/security-headers.ts'
import { type LoadClass, loadClassOf, turnAwayFor } from './in-flight-limit.ts'
import type { InFlightTracker } from './in-flight-tracker.ts'

/**
 * Turns away, before anything is made of the request, whom in-flight-limit.ts would turn away a moment later. When twice as many come as can be served, every second
 * request ends here, and what it costs is missing for the others. For the same reason it leaves no line in the log: it is counted.
 */
export function openTurnAway(
  { crowd, stopping }: { crowd: InFlightTracker; stopping: AbortSignal },
  count: (method: string, route: string) => void,
) {
  /** By method and path, of routes whose path is always the same. All that makes work is of that kind. */
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
        const retryAfterS = loadClass && turnAwayFor(loadClass, crowd)
        if (retryAfterS === undefined || stopping.aborted) return handle(request, response)
        count(method, path)
        answer(response, retryAfterS)
      }
    },
  }
}

type Refusal = { status: number; headers: string[]; beforeId: string; afterId: string }

/** A request's name that stands for all of them, which are of one length. */
const ANY_ID = newRequestId()
const refusals = new Map<number, Refusal>()

/** All of the answer but the name of the request, which is the same for everybody and made once. */
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
