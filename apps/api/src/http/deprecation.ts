import type { FastifyInstance, FastifyReply } from 'fastify'

/** Notice before an operation of the API may be removed. See docs/versioning.md. */
const NOTICE_MONTHS = 12

/** Days as `YYYY-MM-DD`, each from 00:00 UTC. `page` describes the replacement. */
type Announcement = { deprecatedOn: string; sunsetOn: string; page?: string }

/** The headers of a deprecated operation, for the option `deprecation` of its route. */
type Deprecation = { deprecation: string; sunset: string; link: string }

/** Announces the removal of an operation: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a link to the page about it. */
export function deprecate({ deprecatedOn, sunsetOn, page = '/docs/versioning' }: Announcement): Deprecation {
  const deprecatedAt = new Date(deprecatedOn)
  const sunsetAt = new Date(sunsetOn)
  const earliest = new Date(deprecatedAt)
  earliest.setUTCMonth(earliest.getUTCMonth() + NOTICE_MONTHS)
  // Written so that an invalid date is rejected too.
  if (!(sunsetAt >= earliest))
    throw new Error(`sunset ${sunsetOn} is less than ${NOTICE_MONTHS} months after ${deprecatedOn}`)
  return {
    deprecation: `@${deprecatedAt.getTime() / 1_000}`,
    sunset: sunsetAt.toUTCString(),
    link: `<${page}>; rel="deprecation"; type="text/html"`,
  }
}

/** Adds the headers to all responses of deprecated routes, errors included. Must be called before the routes are registered. */
export function sendDeprecations(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const announced = route.config?.deprecation
    if (announced === undefined) return
    const others = [route.onSend ?? []].flat()
    route.onSend = [
      ...others,
      (_request, reply, payload, done) => {
        addHeaders(reply, announced)
        done(null, payload)
      },
    ]
  })
}

function addHeaders(reply: FastifyReply, { deprecation, sunset, link }: Deprecation): void {
  const pages = reply.getHeader('link')
  reply.headers({ deprecation, sunset, link: typeof pages === 'string' ? `${pages}, ${link}` : link })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by `deprecate` if the operation will be removed. The OpenAPI document marks it as deprecated. */
    deprecation?: Deprecation
  }
}
