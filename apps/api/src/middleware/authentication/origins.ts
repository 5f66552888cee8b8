import { createLruCache } from '@probity/concurrency/lru-cache'
import { isOrigin } from '@probity/contract/constants/keys'
import { isAllowedOrigin } from '@probity/database/accounts/keys'
import type { Db } from '@probity/database/connection/connect'
import type { LocalRate } from '@probity/redis/request-rate'
import type { FastifyRequest } from 'fastify'
import { networkOf } from '../../http/networks.ts'
import { Problem } from '../../http/problem.ts'
import type { Route } from '../../http/route.ts'
import { VARY_BY_ORIGIN } from '../../http/security-headers.ts'
import { UNAUTHENTICATED } from './authenticate.ts'

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Rejects requests that a page of another origin causes. The Host header proves nothing: a page can point its own name at this machine (DNS
 * rebinding), and then Origin and Host are both the attacker's. The origin must therefore match PUBLIC_URL, or name this machine itself if
 * that is
 * not set. Programs send no origin.
 */
export function refuseForeignOrigin(publicUrl: string | undefined) {
  const ownOrigin = publicUrl === undefined ? undefined : new URL(publicUrl).origin
  return ({ headers: { origin } }: FastifyRequest): void => {
    if (origin === undefined) return
    const isKnown = URL.canParse(origin) && isOurs(new URL(origin), ownOrigin)
    if (!isKnown) throw new Problem('cross_site_request')
  }
}

function isOurs({ origin, hostname }: URL, ownOrigin: string | undefined): boolean {
  return ownOrigin === undefined ? LOOPBACK_NAMES.has(hostname) : origin === ownOrigin
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])
const BODY_TYPES = new Set(['application/json', 'multipart/form-data'])

/**
 * Rejects requests that another site causes. Browsers report the source of a request in headers that no page can set; a custom header
 * cannot
 * be sent from another site without a preflight, which is never allowed; and a form cannot send JSON.
 */
export function refuseCrossSite(publicUrl: string | undefined) {
  const ownHost = publicUrl === undefined ? undefined : new URL(publicUrl).host
  const ownProtocol = publicUrl === undefined ? undefined : new URL(publicUrl).protocol
  return async (request: FastifyRequest): Promise<void> => {
    if (READS.has(request.method)) return
    const { headers } = request
    const isOurs = isFromHere(request, ownHost, ownProtocol) && headers['probity-app'] === '1' && isBodyOurs(request)
    if (!isOurs) throw new Problem('cross_site_request')
  }
}

function isFromHere({ headers }: FastifyRequest, ownHost?: string, ownProtocol?: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin, host } = headers
  if (origin === undefined || !URL.canParse(origin)) return false
  const from = new URL(origin)
  return from.host === (ownHost ?? host) && (ownProtocol === undefined || from.protocol === ownProtocol)
}

function isBodyOurs({ headers }: FastifyRequest): boolean {
  const { 'content-type': type, 'content-length': length, 'transfer-encoding': encoding } = headers
  const isEmpty = encoding === undefined && (length === undefined || length === '0')
  if (isEmpty && type === undefined) return true
  const [essence = ''] = (type ?? '').split(';')
  return BODY_TYPES.has(essence.trim().toLowerCase())
}

type PreflightDependencies = {
  db: Db
  unauthenticatedRate: LocalRate
}

/** The headers that the SDK sends from a page, and `Authorization` as the alternative to `X-API-Key`. */
const ALLOWED_HEADERS = 'content-type, x-api-key, authorization, idempotency-key, x-probity-client'
/** How long a browser caches a preflight response. */
const MAX_AGE_S = 3_600
/**
 * A new origin is allowed at once. An origin removed from the last key passes preflight for this long; the key itself then rejects the
 * request.
 */
const KEEP_FOR_MS = 60_000
const ORIGINS_MAX = 10_000

/**
 * The CORS preflight of a page that uses a publishable key. It does not contain the key, so the origin is allowed if any key allows it;
 * the request that follows is checked against its own key.
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
function openOrigins({ db, unauthenticatedRate }: { db: Db; unauthenticatedRate: LocalRate }) {
  const allowedUntil = createLruCache<string, number>(ORIGINS_MAX)
  return async (origin: string, network: string): Promise<boolean> => {
    const now = performance.now()
    if (now < (allowedUntil.get(origin) ?? 0)) return true
    allowedUntil.delete(origin)
    if (!unauthenticatedRate.look(network, UNAUTHENTICATED).allowed) return false
    const isAllowed = await isAllowedOrigin(db, origin)
    if (!isAllowed) unauthenticatedRate.take(network, UNAUTHENTICATED)
    else allowedUntil.set(origin, now + KEEP_FOR_MS)
    return isAllowed
  }
}
