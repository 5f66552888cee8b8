import type { KeyScope } from '@probity/contract/constants/keys'
import { mayUse } from '@probity/contract/constants/users'
import type { Db } from '@probity/database/connection/connect'
import type { FastifyRequest } from 'fastify'
import { isFromNetwork } from '../../http/networks.ts'
import { Problem } from '../../http/problem.ts'
import type { ApiKeyCache } from './api-key-cache.ts'
import { isValid, refuseForbidden } from './authenticate.ts'
import type { UserAuthentication } from './session.ts'
import { findMember } from './session.ts'

export type AccessDependencies = {
  db: Db
  keys: ApiKeyCache
  people: UserAuthentication
}

/**
 * Returns a check whether the key or session that opened a stream may still read it. A stream outlives the request's own
 * authentication, so the check is repeated while the stream is open.
 */
export function watchAccess(
  services: AccessDependencies,
  request: FastifyRequest,
  scope: KeyScope,
): () => Promise<boolean> {
  if (request.auth.id === null) return watchMember(services, request, scope)
  const { ip, route } = request
  return () => isKeyAllowed(services, String(request.headers['x-api-key']), { ip, route })
}

/** Streams end when a request with their key would be rejected. */
async function isKeyAllowed(
  { keys }: { keys: ApiKeyCache },
  text: string,
  request: Pick<FastifyRequest, 'ip' | 'route'>,
): Promise<boolean> {
  const key = await keys.find(text)
  if (key === undefined || !isValid(key)) return false
  try {
    refuseForbidden({ ...request, auth: key })
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}

/** Each check is a query, and a process has up to 200 streams. */
const MEMBER_CHECK_EVERY_MS = 5_000

/**
 * Like isKeyAllowed, for a member: the stream ends with the session, the membership or the role's right to read. A key in the same
 * request is ignored, since the request was not authenticated with it.
 */
function watchMember(services: AccessDependencies, request: FastifyRequest, scope: KeyScope): () => Promise<boolean> {
  let [allowed, checkedAt] = [true, performance.now()]
  return async () => {
    if (performance.now() - checkedAt < MEMBER_CHECK_EVERY_MS) return allowed
    const found = await findMember(services, request)
    const member = found?.member
    allowed = member !== undefined && mayUse(member.role, scope, true) && isFromNetwork(request, member)
    checkedAt = performance.now()
    return allowed
  }
}
