import type { FastifyInstance, FastifyRequest } from 'fastify'

type KnownRoute = FastifyRequest['routeOptions']

/**
 * Lets hooks read the route of a request as often as they need it: Fastify builds `routeOptions` anew for each access, and a request has
 * a dozen of them. `forgetRoute` is for a request that is handed on to the handler of unknown paths, which has another route.
 */
export function rememberRoutes(app: FastifyInstance): void {
  app.decorateRequest('knownRoute')
  app.decorateRequest('route', {
    getter(this: FastifyRequest): KnownRoute {
      this.knownRoute ??= this.routeOptions
      return this.knownRoute
    },
  })
}

export function forgetRoute(request: FastifyRequest): void {
  request.knownRoute = undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The options of the route, as `routeOptions` has them. */
    readonly route: KnownRoute
    knownRoute: KnownRoute | undefined
  }
}
