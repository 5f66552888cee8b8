import type { KeyScope } from '@probity/contract/constants/keys'
import { isWellFormedKey, KEY_PATTERN } from '@probity/contract/constants/keys'
import type { AuthKey } from '@probity/database/accounts/keys'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import type { Admission, ValidationRequest } from '@probity/redis/admission'
import { RECENT_FOR_S } from '@probity/redis/cache'
import type { LocalRate, RatePolicy, RateState } from '@probity/redis/request-rate'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isOnList, networkOf, refuseForeignNetwork } from '../../http/networks.ts'
import { Problem } from '../../http/problem.ts'
import { readFeatures, readMaxAge } from '../../http/validation-options.ts'
import { whenClosed } from '../../http/when-closed.ts'
import type { RecentKeys } from '../rate-limit/recent-keys.ts'
import { createSlotQueue, type SlotQueue } from '../rate-limit/slot-queue.ts'
import type { ApiKeyCache } from './api-key-cache.ts'
import type { Auth } from './auth.ts'
import type { KeyUseCounter } from './key-use.ts'
import { isPublicSandbox, publicSandboxAuth } from './public-sandbox.ts'
import { admitPage, isPublishable, rateOf } from './publishable-keys.ts'

/** `recent` is a recent result for the request as serialized JSON, and `emailKey` the dedupe key that it was looked up by. */
type RateLimit = { state: RateState; recent?: string | undefined; emailKey?: string | undefined }

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated key or member. Set for every route under /api/v1, and for the same routes under /app/api. */
    auth: Auth
    /** The state of the client's rate limit, once it is known, and what was read from Redis with it. */
    rateLimit: RateLimit | undefined
  }
  interface FastifyContextConfig {
    /** The scope that a key needs to use this route. */
    scope?: KeyScope
    /** Whether publishable keys, which are public, can use the route. */
    isForPages?: boolean
    /** Whether the public sandbox key, which has no account, can use the route. */
    isPublic?: boolean
    /**
     * For routes that validate an address: returns the part of the request with the address and its options. Called before schema
     * validation.
     */
    asksAbout?: (request: FastifyRequest) => unknown
  }
}

/** Limit for clients without a known key, per network (an IPv4 address or an IPv6 /64). It limits how many keys a client can guess. */
export const UNAUTHENTICATED: RatePolicy = { name: 'unauthenticated', quota: 60, windowS: 60 }

export type AuthenticationDependencies = {
  keys: ApiKeyCache
  keyUse: KeyUseCounter
  admission: Admission
  unauthenticatedRate: LocalRate
  publicSandbox: boolean
}

/**
 * Identifies the client; throws if the key is unknown or not valid. Returns no promise if the key is cached, as for nearly all requests:
 * a promise per hook costs as much as the work of the hooks.
 */
export function authenticate(dependencies: AuthenticationDependencies) {
  const { keys, unauthenticatedRate, keyUse, publicSandbox } = dependencies
  return (request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined => {
    refuseKeyInQuery(request)
    if (request.headers.authorization !== undefined) takeBearer(request.headers)
    const text = request.headers['x-api-key']
    const known = typeof text === 'string' && isWellFormedKey(text) ? keys.recall(text) : undefined
    if (known && isValid(known) && !isPublishable(known)) return enter(request, known)
    return authenticateSlowly(request, reply)
  }

  async function authenticateSlowly(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const key = await recognise(request)
    enter(request, key)
    if (isPublishable(key)) await admitPage(dependencies, request, reply)
  }

  function enter(request: FastifyRequest, key: AuthKey): undefined {
    request.auth = key
    if (!isPublicSandbox(key)) keyUse.count(key.id)
  }

  async function recognise(request: FastifyRequest): Promise<AuthKey> {
    const text = request.headers['x-api-key']
    if (typeof text !== 'string' || text === '') throw rejectKey(request, 'missing_api_key')
    if (!isWellFormedKey(text)) throw rejectKey(request, 'invalid_api_key')

    const sandboxAuth = publicSandbox ? publicSandboxAuth(text, networkOf(request.ip)) : undefined
    if (sandboxAuth) return sandboxAuth

    // A client that guesses keys must not keep the database busy; known keys of the same network are not limited.
    const known = keys.recall(text)
    if (known === undefined && !unauthenticatedRate.look(networkOf(request.ip), UNAUTHENTICATED).allowed)
      throw rejectKey(request, 'invalid_api_key')

    const key = known ?? (await keys.find(text))
    if (key === undefined) throw rejectKey(request, 'invalid_api_key')
    if (key.revokedAt) throw rejectKey(request, 'revoked_api_key')
    if (!isValid(key)) throw rejectKey(request, 'expired_api_key', describeExpiry(key))
    return key
  }

  function rejectKey(
    request: FastifyRequest,
    code: 'missing_api_key' | 'invalid_api_key' | 'revoked_api_key' | 'expired_api_key',
    detail?: string,
  ) {
    const state = unauthenticatedRate.take(networkOf(request.ip), UNAUTHENTICATED)
    request.rateLimit = { state }
    if (state.allowed) return new Problem(code, detail)
    return new Problem('rate_limited', undefined, { retryAfterS: state.retryAfterS })
  }
}

/**
 * Reads a bearer token as if it had been sent as `X-API-Key`, so that the rest of the process handles one header. Other schemes than
 * Bearer are left for proxies.
 */
function takeBearer(headers: FastifyRequest['headers']): void {
  const [, token] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? []
  if (token === undefined) return
  const { 'x-api-key': text } = headers
  if (text !== undefined && text !== '' && text !== token) throw new Problem('conflicting_api_keys')
  headers['x-api-key'] = token
}

function describeExpiry({ expiresAt }: AuthKey): string | undefined {
  return expiresAt === null ? undefined : `The API key expired at ${expiresAt.toISOString()}.`
}

export function isValid({ revokedAt, expiresAt }: AuthKey): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt.getTime() > Date.now())
}

/**
 * Applies the checks of `refuse` and the rate limit to a known client. Runs after the body is read: a recent result for the address is
 * fetched
 * in the same call to Redis.
 */
export function admit(
  { admission, recentKeyOf }: { admission: Admission; recentKeyOf: RecentKeys['keyOf'] },
  refuse: (request: FastifyRequest) => void,
) {
  const slots = createSlotQueue()
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    // Before anything is counted: a rejected key must not use up the rate limit of its account.
    refuse(request)
    const { auth } = request
    if (auth.mode === 'test') request.moveToSandbox?.()
    const { bucket, policy } = rateOf(auth)
    const validation = readValidation(request, recentKeyOf)
    const { rate, ...slot } = await admission.admit(bucket, policy, validation?.request)
    // A visitor sees only the rate limit of their own IP address, not that of the account.
    if (!isPublishable(auth)) request.rateLimit = { state: rate, recent: slot.recent, emailKey: validation?.emailKey }
    if (!rate.allowed) throw new Problem('rate_limited', undefined, { retryAfterS: rate.retryAfterS })
    // A request with a recent result takes no slot.
    if (validation === undefined || slot.recent !== undefined) return
    const recent = await holdSlot({ admission, slots }, reply, { bucket, isFull: slot.isFull, ...validation.request })
    if (request.rateLimit) request.rateLimit.recent = recent
  }
}

type Holding = ValidationRequest & { bucket: string; isFull: boolean }

/**
 * Holds a slot of the account until the response is closed. If all are taken, waits a short time for one, or for a recent result, which
 * needs none.
 */
async function holdSlot(
  { admission, slots }: { admission: Admission; slots: SlotQueue },
  reply: FastifyReply,
  { bucket, isFull, ...validation }: Holding,
): Promise<string | undefined> {
  const release = () => {
    admission.release(bucket, validation.slotName)
    slots.wake(bucket)
  }
  whenClosed(reply.raw, release)
  if (!isFull) return undefined

  const closed = new AbortController()
  whenClosed(reply.raw, () => closed.abort())
  if (reply.raw.destroyed) closed.abort()
  const taken = await slots.wait(bucket, closed.signal, async () => {
    const found = await admission.retry(bucket, validation)
    if (closed.signal.aborted) release() // the client disconnected while the slot was taken
    return found.isFull ? undefined : found
  })
  if (taken === undefined) throw new Problem('concurrency_limited', undefined, { retryAfterS: 1 })
  return taken.recent
}

/** The sandbox makes no probes, so it caches nothing and takes no slot. */
function readValidation(request: FastifyRequest, recentKeyOf: RecentKeys['keyOf']): ValidationLookup | undefined {
  const { auth, route } = request
  const input = route.config.asksAbout?.(request)
  const email = typeof input === 'object' && input !== null && 'email' in input ? input.email : undefined
  if (typeof email !== 'string' || auth.mode === 'test') return undefined
  const slot = { slots: auth.interactiveInFlight, slotName: request.id }
  const fresh = { ...slot, recentKey: undefined, recentStoredForMs: 0 }
  if (auth.retentionDays === 0 || isPublishable(auth)) return { request: fresh, emailKey: undefined }
  const emailKey = dedupeKey(email)
  const maxAgeS = readMaxAge(input)
  if (maxAgeS === 0) return { request: fresh, emailKey }
  const recentStoredForMs = maxAgeS === undefined ? 0 : Math.max(RECENT_FOR_S - maxAgeS, 0) * 1_000
  const recentKey = recentKeyOf(auth, { key: emailKey }, readFeatures(input))
  return { request: { ...slot, recentKey, recentStoredForMs }, emailKey }
}

type ValidationLookup = { request: ValidationRequest; emailKey: string | undefined }

const KEY_PARAMETERS = new Set(['api_key', 'apikey', 'api-key', 'x-api-key', 'key', 'access_token'])

/** URLs are stored in logs, browser histories and proxies, so a key in a URL is rejected even if it is valid. */
function refuseKeyInQuery(request: FastifyRequest): void {
  for (const [name, value] of Object.entries(request.query as Record<string, unknown>)) {
    if (KEY_PARAMETERS.has(name.toLowerCase()) || String(value).match(KEY_PATTERN))
      throw new Problem('api_key_in_query')
  }
}

/** Checks whether the key can be used for the request. */
export function refuseForbidden(request: Pick<FastifyRequest, 'auth' | 'ip' | 'route'>): void {
  const { auth: key } = request
  if (key.pausedAt) throw new Problem('paused_api_key')
  if (key.ipAllowList.length > 0 && !isOnList(request.ip, key.ipAllowList)) throw new Problem('ip_not_allowed')
  // A publishable key is used by visitors, who come from anywhere.
  if (!isPublishable(key)) refuseForeignNetwork(request, key)
  if (key.suspended) throw new Problem('account_suspended')
  if (key.mode === 'live' && !key.apiAccess) throw new Problem('api_not_in_plan')
  const { scope, isPublic } = request.route.config
  if (isPublicSandbox(key) && !isPublic) throw new Problem('key_type_not_allowed', PUBLIC_HINT)
  if (scope) refuseWithout(key, scope)
}

/** For routes where the body of the request decides which scope it needs. */
export function refuseWithout({ id, scopes }: Auth, scope: KeyScope): void {
  if (scopes.includes(scope)) return
  if (id === null) throw new Problem('missing_role')
  throw new Problem('missing_scope', `This request requires a key with the scope "${scope}".`)
}

/** For data that both modes share: a test key, which many people may know, must not change live results. */
export function refuseTestKey({ mode, id }: Auth): void {
  if (mode === 'test' && id !== null) throw new Problem('live_key_required')
}

const PUBLIC_HINT = 'The public sandbox key can only validate addresses and test delivery reports.'
