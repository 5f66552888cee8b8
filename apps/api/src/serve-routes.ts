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
  api.addHook('preValidation', admit(services, refuse))
  for (const route of routes) await api.register(route, services)
}
