import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { admit } from './door/authenticate.ts'
import { noteVerdicts } from './door/note-requests.ts'
import type { Route } from './route.ts'
import type { Services } from './services.ts'

/** Who lets callers in: by a key, or by a session. */
type Door = {
  recognise: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  refuse: Parameters<typeof admit>[1]
}

/** Registers the API's routes behind a door. What they find in a request is the same behind each. */
export async function serveRoutes(
  api: FastifyInstance,
  services: Services,
  { recognise, refuse }: Door,
  routes: Route[],
): Promise<void> {
  api.decorateRequest('caller')
  api.decorateRequest('recent')
  api.decorateRequest('verdict')
  api.decorateRequest('policy')
  api.decorateRequest('listed', null)
  api.decorateRequest('finding')
  api.decorateRequest('verdicts')
  api.addHook('onRequest', recognise)
  api.addHook('onResponse', noteVerdicts(services))
  const admitClient = admit(services, refuse)
  // Before the body is read, where the decision does not need it: a client over its rate must not make us read and parse megabytes.
  api.addHook('preParsing', async (request, reply) => {
    if (!needsBody(request)) await admitClient(request, reply)
  })
  api.addHook('preValidation', async (request, reply) => {
    if (needsBody(request)) await admitClient(request, reply)
  })
  for (const route of routes) await api.register(route, services)
}

/** A recent result is looked up with the rate, in one call to Redis, by the address in the body. In test mode there are none. */
function needsBody({ caller, routeOptions }: FastifyRequest): boolean {
  return caller.mode === 'live' && routeOptions.config.asksAbout !== undefined
}
