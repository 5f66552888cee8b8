import {
  DEFAULT_SCOPES,
  expandScopes,
  type KeyMode,
  type KeyScope,
  type KeyType,
  PUBLISHABLE_MONTHLY_CAP_DEFAULT,
  PUBLISHABLE_SCOPES,
  VISITOR_CAP_DEFAULT,
} from '@probity/contract/constants/keys'
import {
  ApiKey,
  CreatedKey,
  CreateKey,
  KeyList,
  KeyPage,
  KeyParams,
  RotateKey,
  UpdateKey,
} from '@probity/contract/schemas/keys'
import {
  type ApiKey as DatabaseKey,
  findKey,
  insertKey,
  type KeyBounds,
  type KeyChange,
  listKeys as listKeysOf,
  lockKey,
  replaceKey,
  revokeKey,
  updateKey,
} from '@probity/database/accounts/keys'
import { type Db, inTenant, type Trx } from '@probity/database/connection/connect'
import { BODY_PROBLEMS, IDEMPOTENCY_PROBLEMS, MIDDLEWARE_PROBLEMS, operation } from '../../http/openapi.ts'
import { readPage, sendPageHeaders } from '../../http/page.ts'
import { found, invalidField, Problem } from '../../http/problem.ts'
import type { Route } from '../../http/route.ts'
import type { Auth } from '../../middleware/authentication/auth.ts'
import { boundNewKey, findBounds, refuseChange, refuseRevocation, refuseRotation, refuseTooManyKeys } from './bounds.ts'
import { presentKey, refuseBadPageSettings, refuseBadSettings, statusOf, viewOf } from './present.ts'

type CreateDependencies = {
  db: Db
  keysMax: number
}

/** Creates a key. The response is the only one that contains it. */
export const createKey: Route<CreateDependencies> = async (app, { db, keysMax }) => {
  const schema = operation(
    {
      id: 'createApiKey',
      tag: 'API keys',
      summary: 'Create an API key',
      description:
        'The response contains the key itself, which is not shown again: only its hash is stored. A `publishable` key, for web pages, needs `allowed_origins`. A key creates keys within its own scopes, expiry, IP allowlist and what remains of its monthly cap; limits that the request leaves out are those of the calling key. The credits that such keys use count toward the cap of the calling key too.',
      problems: [
        'invalid_request',
        'malformed_json',
        'scope_not_grantable',
        'exceeds_own_key',
        'too_many_keys',
        'payload_too_large',
        'unsupported_media_type',
        ...IDEMPOTENCY_PROBLEMS,
        ...MIDDLEWARE_PROBLEMS,
      ],
    },
    { body: CreateKey, response: { 201: CreatedKey } },
  )
  app.post('/keys', { schema, config: { scope: 'keys:write', idempotency: 'secret' } }, async (request, reply) => {
    const { auth, body } = request
    const { livemode = auth.mode === 'live', type = 'secret' } = body
    const mode: KeyMode = livemode ? 'live' : 'test'
    const scopes = body.scopes ?? defaultScopes(auth, type)
    if (livemode && auth.mode === 'test') throw new Problem('scope_not_grantable', 'A test key creates only test keys.')
    refuseBadSettings(auth, { ...body, scopes })
    refuseBadPageSettings(type, body)

    const created = await inTenant(db, auth.accountId, async (trx) => {
      await refuseTooManyKeys(trx, auth.accountId, keysMax)
      const bounds = await findBounds(trx, auth)
      const wanted = { mode, scopes, ...readLimits(body, bounds), ...readPageSettings(type, body) }
      return insertKey(trx, auth.accountId, boundNewKey(wanted, bounds))
    })
    return reply.code(201).send({ ...presentKey(created.key), key: created.text })
  })
}

function readLimits({ name, expires_at, ip_allowlist, monthly_cap, type }: CreateKey, bounds?: KeyBounds) {
  const expiresAt = typeof expires_at === 'string' ? new Date(expires_at) : expires_at
  const usualCap = type === 'publishable' ? capForPages(bounds) : undefined
  return { name, expiresAt, ipAllowList: ip_allowlist, monthlyCap: monthly_cap === undefined ? usualCap : monthly_cap }
}

function capForPages(bounds?: KeyBounds): number {
  return Math.max(0, Math.min(PUBLISHABLE_MONTHLY_CAP_DEFAULT, bounds?.remaining ?? PUBLISHABLE_MONTHLY_CAP_DEFAULT))
}

/** The scopes of a key if the request names none: of the default scopes those that the calling key has. */
function defaultScopes({ scopes }: Auth, type: KeyType): KeyScope[] {
  return type === 'publishable' ? [...PUBLISHABLE_SCOPES] : DEFAULT_SCOPES.filter((scope) => scopes.includes(scope))
}

function readPageSettings(kind: KeyType, body: CreateKey) {
  const { allowed_origins, allowed_policies, visitor_cap = VISITOR_CAP_DEFAULT } = body
  if (kind === 'secret') return { kind }
  if (allowed_origins === undefined) throw invalidField('/allowed_origins', 'is required for a publishable key')
  const policies = allowed_policies && { allowedPolicies: allowed_policies }
  return { kind, allowedOrigins: allowed_origins, visitorCap: visitor_cap, ...policies }
}

const TAG = 'API keys'
const reading = { scope: 'keys:read' } as const
const changing = { scope: 'keys:write' } as const

const getApiKey = operation(
  {
    id: 'getApiKey',
    tag: TAG,
    summary: 'Get an API key',
    description: 'A key without its secret.',
    problems: ['invalid_request', 'not_found', ...MIDDLEWARE_PROBLEMS],
  },
  { params: KeyParams, response: { 200: ApiKey } },
)

const updateApiKey = operation(
  {
    id: 'updateApiKey',
    tag: TAG,
    summary: 'Change, pause or resume an API key',
    description:
      'Changes only the settings in the body. A revoked key can no longer be changed and counts as not found; an expired key stays expired. A key changes other keys within its own limits, and never itself.',
    problems: [
      'invalid_request',
      'malformed_json',
      'scope_not_grantable',
      'exceeds_own_key',
      'not_found',
      'inactive_api_key',
      'payload_too_large',
      ...MIDDLEWARE_PROBLEMS,
    ],
  },
  { params: KeyParams, body: UpdateKey, response: { 200: ApiKey } },
)

const revokeApiKey = operation(
  {
    id: 'revokeApiKey',
    tag: TAG,
    summary: 'Revoke an API key',
    description:
      'Revokes the key permanently; all API processes reject it within one second. Revoking it again changes nothing. A key revokes itself, the keys that it created, and other keys within its own limits.',
    problems: ['invalid_request', 'scope_not_grantable', 'exceeds_own_key', 'not_found', ...MIDDLEWARE_PROBLEMS],
  },
  { params: KeyParams, response: { 200: ApiKey } },
)

/** Routes of one key: get, change and revoke. */
export const manageKey: Route<{ db: Db }> = async (app, { db }) => {
  app.get('/keys/:key_id', { schema: getApiKey, config: reading }, async ({ auth, params }) => {
    const key = await inTenant(db, auth.accountId, (trx) => findKey(trx, viewOf(auth), params.key_id))
    return presentKey(found(key))
  })

  app.patch('/keys/:key_id', { schema: updateApiKey, config: changing }, async ({ auth, params, body }) => {
    refuseBadSettings(auth, body)
    const key = await inTenant(db, auth.accountId, async (trx) => {
      const key = found(await lockKey(trx, viewOf(auth), params.key_id))
      if (statusOf(key) === 'expired') throw new Problem('inactive_api_key')
      refuseBadPageSettings(key.kind, body)
      const change = readChange(key, body)
      refuseChange(key, change, await findBounds(trx, auth))
      return updateKey(trx, viewOf(auth), params.key_id, change)
    })
    return presentKey(found(key))
  })

  app.delete('/keys/:key_id', { schema: revokeApiKey, config: changing }, async ({ auth, params }) => {
    const key = await inTenant(db, auth.accountId, async (trx) => {
      refuseRevocation(found(await lockKey(trx, viewOf(auth), params.key_id)), await findBounds(trx, auth))
      return revokeKey(trx, viewOf(auth), params.key_id)
    })
    return presentKey(found(key))
  })
}

function readChange({ kind }: DatabaseKey, body: UpdateKey): KeyChange {
  const { name, scopes, expires_at, ip_allowlist, monthly_cap, paused } = body
  const { allowed_origins, allowed_policies, visitor_cap } = body
  return {
    ...(name !== undefined && { name }),
    ...(scopes && { scopes: expandScopes(scopes, kind) }),
    ...(expires_at !== undefined && { expiresAt: expires_at === null ? null : new Date(expires_at) }),
    ...(ip_allowlist && { ipAllowList: ip_allowlist }),
    ...(monthly_cap !== undefined && { monthlyCap: monthly_cap }),
    ...(allowed_origins && { allowedOrigins: allowed_origins }),
    ...(allowed_policies && { allowedPolicies: allowed_policies }),
    ...(visitor_cap !== undefined && { visitorCap: visitor_cap }),
    ...(paused !== undefined && { pausedAt: paused ? new Date() : null }),
  }
}

/** The account's keys, newest first. */
export const listKeys: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'listApiKeys',
      tag: 'API keys',
      summary: 'List API keys',
      description:
        'Live keys see all keys of the account, test keys only test keys. The total is in `X-Total-Count`, the adjacent pages are in `Link`.',
      problems: ['invalid_request', ...MIDDLEWARE_PROBLEMS],
    },
    { querystring: KeyPage, response: { 200: KeyList } },
  )
  app.get('/keys', { schema, config: { scope: 'keys:read' } }, async (request, reply) => {
    const { auth } = request
    const page = readPage(request.query)
    const { keys, total } = await inTenant(db, auth.accountId, (trx) => listKeysOf(trx, viewOf(auth), page))
    sendPageHeaders(reply, page, total)
    return keys.map(presentKey)
  })
}

type RotateDependencies = {
  db: Db
  keysMax: number
}

const OVERLAP_DEFAULT_S = 86_400

/** While a rotated key still works, its successor counts too, so that an account at its limit can rotate its keys. */
const ROTATION_ROOM = 2

/** Replaces a key by a new one with the same settings. Both work for some time. */
export const rotateKey: Route<RotateDependencies> = async (app, { db, keysMax }) => {
  const schema = operation(
    {
      id: 'rotateApiKey',
      tag: 'API keys',
      summary: 'Rotate an API key',
      description:
        'Creates a key with the name and the settings of this one, including its expiry. The response is the only one that contains it. The old key works for `overlap_s` more seconds and then expires, no later than its own expiry. The new key is not paused. Both share one monthly cap. A key that is revoked, expired or already replaced cannot be rotated. A key rotates keys within its own limits, itself included.',
      problems: [
        'invalid_request',
        'not_found',
        'scope_not_grantable',
        'exceeds_own_key',
        'inactive_api_key',
        'too_many_keys',
        ...BODY_PROBLEMS,
        ...IDEMPOTENCY_PROBLEMS,
        ...MIDDLEWARE_PROBLEMS,
      ],
    },
    { params: KeyParams, body: RotateKey, response: { 201: CreatedKey } },
  )
  const config = { scope: 'keys:write', idempotency: 'secret', isBodyOptional: true } as const
  app.post('/keys/:key_id/rotate', { schema, config }, async ({ auth, params, body }, reply) => {
    const { overlap_s: overlapS = OVERLAP_DEFAULT_S } = body
    const made = await inTenant(db, auth.accountId, async (trx) => {
      await refuseTooManyKeys(trx, auth.accountId, keysMax * ROTATION_ROOM)
      return replaceKey(trx, await lockRotatable(trx, auth, params.key_id), overlapS)
    })
    return reply.code(201).send({ ...presentKey(made.key), key: made.text })
  })
}

/** The response contains a key with the rights of the old one, so the client must be allowed to create one. */
async function lockRotatable(trx: Trx, auth: Auth, keyId: string) {
  const key = found(await lockKey(trx, viewOf(auth), keyId))
  const status = statusOf(key)
  if (status === 'revoked' || status === 'expired' || key.replacedBy) throw new Problem('inactive_api_key')
  refuseBadSettings(auth, { scopes: key.scopes })
  refuseRotation(key, await findBounds(trx, auth))
  return key
}
