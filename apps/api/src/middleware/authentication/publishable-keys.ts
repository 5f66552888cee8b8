import { createHash } from 'node:crypto'
import type { Admission } from '@probity/redis/admission'
import type { RatePolicy } from '@probity/redis/request-rate'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { networkOf } from '../../http/networks.ts'
import { Problem } from '../../http/problem.ts'
import { VARY_BY_ORIGIN } from '../../http/security-headers.ts'
import type { Auth } from './auth.ts'

const HOUR_S = 3_600

const SECRET_KEY_NEEDED = 'The key is publishable, and this request requires a secret key.'

/** Requests per minute of all publishable keys of an account together, limited further by the account's plan. */
const PAGES_RATE = { quota: 600, windowS: 60 }

/** Whether a key is used in web pages. */
export function isPublishable({ kind }: Pick<Auth, 'kind'>): boolean {
  return kind === 'publishable'
}

/**
 * Checks the origin of a request with a publishable key and the rate limit of the visitor, and lets the page read the response. Programs
 * can
 * send any origin, so visitors are also counted by IP address and get only a decision.
 */
export async function admitPage(
  { admission }: { admission: Admission },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { auth, headers, ip } = request
  reply.header('vary', VARY_BY_ORIGIN)
  const { origin } = headers
  const isAllowed = origin !== undefined && auth.allowedOrigins.includes(origin)
  if (isAllowed) reply.header('access-control-allow-origin', origin)
  // Before the origin: a server that uses a publishable key by mistake sends no origin, and the advice must be to use another key.
  if (!request.route.config.isForPages) throw new Problem('key_type_not_allowed', SECRET_KEY_NEEDED)
  if (!isAllowed) throw new Problem('origin_not_allowed')
  const policy = { name: 'visitor', quota: auth.visitorCap ?? 1, windowS: HOUR_S }
  const { rate } = await admission.admit(`visitor:${auth.id}:${nameOf(ip)}`, policy)
  request.rateLimit = { state: rate }
  if (!rate.allowed) throw new Problem('rate_limited', undefined, { retryAfterS: rate.retryAfterS })
}

/**
 * The rate limit that a request counts toward. Publishable keys have a separate one: visitors, who may be attackers, must not use up the
 * rate
 * limit of the account's secret keys. Concurrent requests are counted under the same name.
 */
export function rateOf({ kind, accountId, requestsPerWindow, windowS }: Auth): {
  bucket: string
  policy: RatePolicy
} {
  const account = { name: 'account', quota: requestsPerWindow, windowS }
  if (!isPublishable({ kind })) return { bucket: accountId, policy: account }
  const quota = Math.min(PAGES_RATE.quota, Math.ceil((requestsPerWindow * PAGES_RATE.windowS) / windowS))
  return { bucket: `pages-${accountId}`, policy: { name: 'pages', quota, windowS: PAGES_RATE.windowS } }
}

/** IP addresses are personal data, so Redis gets a hash. */
function nameOf(ip: string): string {
  return createHash('sha256').update(networkOf(ip)).digest('base64url')
}
