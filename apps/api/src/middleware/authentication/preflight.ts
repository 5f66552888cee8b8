import { createLruCache } from '@probity/concurrency/lru-cache'
import { isOrigin } from '@probity/contract/constants/keys'
import { isAllowedOrigin } from '@probity/database/accounts/keys'
import type { Db } from '@probity/database/connection/connect'
import type { LocalRate } from '@probity/redis/request-rate'
import { networkOf } from '../../http/networks.ts'
import type { Route } from '../../http/route.ts'
import { VARY_BY_ORIGIN } from '../../http/security-headers.ts'
import { STRANGERS } from './authenticate.ts'

type PreflightDependencies = {
  db: Db
  strangers: LocalRate
}

/** The headers that the SDK sends from a page, and `Authorization` as the alternative to `X-API-Key`. */
const ALLOWED_HEADERS = 'content-type, x-api-key, authorization, idempotency-key, x-probity-client'
/** How long a browser caches a preflight response. */
const MAX_AGE_S = 3_600
/** A new origin is let in at once; one that was taken off the last key is asked in for so long, and then refused by the key itself. */
const KEEP_FOR_MS = 60_000
const ORIGINS_MAX = 10_000

/**
 * What a browser asks before a page of another origin may send a key. The key is not in the question, so the answer goes by whether
 * any key is for that page; the request that follows is held to the one it shows.
 */
export const preflight: Route<PreflightDependencies> = async (app, services) => {
  const isAllowed = openOrigins(services)
  app.options('/api/v1/validation/decision', { schema: { hide: true } }, async ({ headers, ip }, reply) => {
    const { origin } = headers
    reply.header('vary', VARY_BY_ORIGIN)
    if (typeof origin === 'string' && isOrigin(origin) && (await isAllowed(origin, networkOf(ip)))) {
      reply.headers({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': ALLOWED_HEADERS,
        'access-control-max-age': String(MAX_AGE_S),
      })
    }
    return reply.code(204).send()
  })
}

/** Caches allowed origins. Requests with unknown origins count against the same limit as requests with unknown keys. */
function openOrigins({ db, strangers }: { db: Db; strangers: LocalRate }) {
  const allowedUntil = createLruCache<string, number>(ORIGINS_MAX)
  return async (origin: string, network: string): Promise<boolean> => {
    const now = performance.now()
    if (now < (allowedUntil.get(origin) ?? 0)) return true
    allowedUntil.delete(origin)
    if (!strangers.look(network, STRANGERS).allowed) return false
    const isAllowed = await isAllowedOrigin(db, origin)
    if (!isAllowed) strangers.take(network, STRANGERS)
    else allowedUntil.set(origin, now + KEEP_FOR_MS)
    return isAllowed
  }
}
