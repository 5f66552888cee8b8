import type { FastifyInstance, FastifyRequest } from 'fastify'

type KnownRoute = FastifyRequest['routeOptions']

/**
 * Caches the route of a request for hooks: Fastify builds `routeOptions` anew for each access, and a request has a dozen of them.
 * `forgetRoute`
 * is for a request that is passed to the not-found handler, which has another route.
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

const API_PREFIX = '/api/v1/'

/**
 * Collects the methods of each path under /api/v1 while routes are registered. It is read only for requests without a matching route,
 * so it costs the others nothing.
 */
export function collectMethods(app: FastifyInstance): void {
  const byPath = new Map<string, { pattern: URLPattern; methods: Set<string> }>()
  app.addHook('onRoute', ({ method, url }) => {
    if (!url.startsWith(API_PREFIX)) return
    const known = byPath.get(url) ?? { pattern: new URLPattern({ pathname: url }), methods: new Set() }
    for (const one of [method].flat()) known.methods.add(one)
    byPath.set(url, known)
  })
  app.decorate('methodsOf', (url: string) => {
    const [pathname = ''] = url.split('?', 1)
    if (!pathname.startsWith(API_PREFIX)) return []
    const matching = [...byPath.values()].filter(({ pattern }) => pattern.test({ pathname }))
    return [...new Set(matching.flatMap(({ methods }) => [...methods]))].sort()
  })
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The methods of the path of a URL under /api/v1; none if no route has that path. */
    methodsOf(url: string): string[]
  }
}
