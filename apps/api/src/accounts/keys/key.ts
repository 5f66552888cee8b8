import { expandScopes } from '@probity/contract/constants/keys'
import { ApiKey, KeyParams, UpdateKey } from '@probity/contract/schemas/keys'
import {
  type ApiKey as DatabaseKey,
  findKey,
  type KeyChange,
  lockKey,
  revokeKey,
  updateKey,
} from '@probity/database/accounts/keys'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { DOOR_PROBLEMS, operation } from '../../http/openapi.ts'
import { found, Problem } from '../../http/problem.ts'
import type { Route } from '../../http/route.ts'
import { refuseChange } from './bounds.ts'
import { findBounds } from './limits.ts'
import { presentKey, refuseBadPageSettings, refuseBadSettings, statusOf, viewOf } from './present.ts'

const TAG = 'API keys'
const reading = { scope: 'keys:read' } as const
const changing = { scope: 'keys:write' } as const

const getApiKey = operation(
  {
    id: 'getApiKey',
    tag: TAG,
    summary: 'Get an API key',
    description: 'A key without its secret.',
    problems: ['invalid_request', 'not_found', ...DOOR_PROBLEMS],
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
      ...DOOR_PROBLEMS,
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
      'Revokes the key permanently; all API processes reject it within one second. Revoking it again changes nothing.',
    problems: ['invalid_request', 'not_found', ...DOOR_PROBLEMS],
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
    const key = await inTenant(db, auth.accountId, (trx) => revokeKey(trx, viewOf(auth), params.key_id))
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
