import type { Admission } from '@probity/redis/admission'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Route } from '../http/route.ts'
import { admit } from './authentication/authenticate.ts'
import type { RecentKeys } from './rate-limit/recent-keys.ts'
import type { RequestLog } from './request-log/request-log.ts'
import { countResults } from './request-log/request-log.ts'

export type AdmissionDependencies = {
  requestLog: RequestLog
  admission: Admission
  recentKeyOf: RecentKeys['keyOf']
}

/** How a client authenticates, by key or by session, and which requests are rejected. */
type Authentication = {
  recognise: (request: FastifyRequest, reply: FastifyReply) => Promise<void> | undefined
  refuse: Parameters<typeof admit>[1]
}

/** Registers routes behind authentication. A request has the same fields whether it was authenticated by key or session. */
export async function serveRoutes<Dependencies extends AdmissionDependencies>(
  api: FastifyInstance,
  services: Dependencies,
  { recognise, refuse }: Authentication,
  routes: Route<Dependencies>[],
): Promise<void> {
  api.decorateRequest('auth')
  api.addHook('onRequest', (request, reply, done) => {
    const recognised = recognise(request, reply)
    if (recognised === undefined) done()
    else recognised.then(() => done(), done)
  })
  api.addHook('onResponse', countResults(services))
  const admitClient = admit(services, refuse)
  // Before the body is read, if the decision does not need it: a client over its rate limit must not make us read and parse megabytes.
  api.addHook('preParsing', (request, reply, payload, done) => {
    if (needsBody(request)) done(null, payload)
    else admitClient(request, reply).then(() => done(null, payload), done)
  })
  api.addHook('preValidation', (request, reply, done) => {
    if (needsBody(request)) admitClient(request, reply).then(() => done(), done)
    else done()
  })
  for (const route of routes) await api.register(route, services)
}

/** A recent result is looked up together with the rate limit in one call to Redis, by the address in the body. Test mode has none. */
function needsBody({ auth, route }: FastifyRequest): boolean {
  return auth.mode === 'live' && route.config.asksAbout !== undefined
}
