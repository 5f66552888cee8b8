import { ApiKey, KeyParams, UpdateKey } from '@probity/contract/keys'
import { inTenant } from '@probity/database/connect'
import { findKey, type KeyChange, lockKey, revokeKey, updateKey } from '@probity/database/keys'
import { DOOR_PROBLEMS, operation } from '../../openapi.ts'
import { found, Problem } from '../../problem.ts'
import type { Route } from '../../route.ts'
import { refuseChange } from './bounds.ts'
import { findBounds } from './limits.ts'
import { presentKey, refuseBadPageSettings, refuseBadSettings, statusOf, viewOf } from './present.ts'

const TAG = 'API keys'
const config = { scope: 'keys' } as const

/** One key: shows, changes and revokes it. */
export const manageKey: Route = async (app, { db }) => {
  const show = operation(
    {
      id: 'getKey',
      tag: TAG,
      summary: 'Show an API key',
      description: 'Everything about a key but the key itself.',
      problems: ['invalid_request', 'not_found', ...DOOR_PROBLEMS],
    },
    { params: KeyParams, response: { 200: ApiKey } },
  )
  app.get('/keys/:key_id', { schema: show, config }, async ({ caller, params }) => {
    const key = await inTenant(db, caller.accountId, (trx) => findKey(trx, viewOf(caller), params.key_id))
    return presentKey(found(key))
  })

  const change = operation(
    {
      id: 'updateKey',
      tag: TAG,
      summary: 'Change, pause or resume an API key',
      description:
        'Changes only what the body names. A revoked key can no longer be changed and counts as not found; an expired key stays expired. A key changes other keys within its own limits, and never itself.',
      problems: [
        'invalid_request',
        'malformed_json',
        'scope_not_held',
        'exceeds_own_key',
        'not_found',
        'key_ended',
        'payload_too_large',
        ...DOOR_PROBLEMS,
      ],
    },
    { params: KeyParams, body: UpdateKey, response: { 200: ApiKey } },
  )
  app.patch('/keys/:key_id', { schema: change, config }, async ({ caller, params, body }) => {
    refuseBadSettings(caller, body)
    const key = await inTenant(db, caller.accountId, async (trx) => {
      const key = found(await lockKey(trx, viewOf(caller), params.key_id))
      if (statusOf(key) === 'expired') throw new Problem('key_ended')
      refuseBadPageSettings(key.kind, body)
      const change = readChange(body)
      refuseChange(key, change, await findBounds(trx, caller))
      return updateKey(trx, viewOf(caller), params.key_id, change)
    })
    return presentKey(found(key))
  })

  const revoke = operation(
    {
      id: 'revokeKey',
      tag: TAG,
      summary: 'Revoke an API key',
      description: 'Ends the key for good, on every process within one second. Revoking it again changes nothing.',
      problems: ['invalid_request', 'not_found', ...DOOR_PROBLEMS],
    },
    { params: KeyParams, response: { 200: ApiKey } },
  )
  app.delete('/keys/:key_id', { schema: revoke, config }, async ({ caller, params }) => {
    const key = await inTenant(db, caller.accountId, (trx) => revokeKey(trx, viewOf(caller), params.key_id))
    return presentKey(found(key))
  })
}

function readChange(body: UpdateKey): KeyChange {
  const { name, scopes, expires_at, ip_allow_list, monthly_cap, paused } = body
  const { allowed_origins, allowed_policies, visitor_cap } = body
  return {
    ...(name !== undefined && { name }),
    ...(scopes && { scopes }),
    ...(expires_at !== undefined && { expiresAt: expires_at === null ? null : new Date(expires_at) }),
    ...(ip_allow_list && { ipAllowList: ip_allow_list }),
    ...(monthly_cap !== undefined && { monthlyCap: monthly_cap }),
    ...(allowed_origins && { allowedOrigins: allowed_origins }),
    ...(allowed_policies && { allowedPolicies: allowed_policies }),
    ...(visitor_cap !== undefined && { visitorCap: visitor_cap }),
    ...(paused !== undefined && { pausedAt: paused ? new Date() : null }),
  }
}
