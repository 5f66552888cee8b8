import { CreatedKey, KeyParams, RotateKey } from '@probity/contract/keys'
import { inTenant, type Trx } from '@probity/database/connect'
import { lockKey, replaceKey } from '@probity/database/keys'
import type { Caller } from '../../door/caller.ts'
import { BODY_PROBLEMS, DOOR_PROBLEMS, operation } from '../../openapi.ts'
import { found, Problem } from '../../problem.ts'
import type { Route } from '../../route.ts'
import { presentKey, refuseBadSettings, statusOf, viewOf } from './present.ts'

const OVERLAP_DEFAULT_S = 86_400

/** Exchanges a key for a new one with the same settings, with some time to change over. */
export const rotateKey: Route = async (app, { db }) => {
  const schema = operation(
    {
      id: 'rotateKey',
      tag: 'API keys',
      summary: 'Rotate an API key',
      description:
        'Makes a new key with the name and the settings of this one, its expiry among them, and shows it this once. The old one goes on working for `overlap_s` seconds and then expires, at its own expiry at the latest. The new one is not paused, and counts towards its monthly cap from the beginning. A key that is revoked, expired or already replaced is not rotated.',
      problems: ['invalid_request', 'not_found', 'scope_not_held', 'key_ended', ...BODY_PROBLEMS, ...DOOR_PROBLEMS],
    },
    { params: KeyParams, body: RotateKey, response: { 201: CreatedKey } },
  )
  app.post('/keys/:key_id/rotate', { schema, config: { scope: 'keys' } }, async ({ caller, params, body }, reply) => {
    const { overlap_s: overlapS = OVERLAP_DEFAULT_S } = body
    const made = await inTenant(db, caller.accountId, async (trx) =>
      replaceKey(trx, await lockRotatable(trx, caller, params.key_id), overlapS),
    )
    return reply.code(201).send({ ...presentKey(made.key), key: made.text })
  })
}

/** Whoever gets the new key may do what the old one may, so the caller must be allowed to hand that out. */
async function lockRotatable(trx: Trx, caller: Caller, keyId: string) {
  const key = found(await lockKey(trx, viewOf(caller), keyId))
  const status = statusOf(key)
  if (status === 'revoked' || status === 'expired' || key.replacedBy) throw new Problem('key_ended')
  refuseBadSettings(caller, { scopes: key.scopes })
  return key
}
