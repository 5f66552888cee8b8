import { CreatedKey, KeyParams, RotateKey } from '@probity/contract/schemas/keys'
import { lockKey, replaceKey } from '@probity/database/accounts/keys'
import { type Db, inTenant, type Trx } from '@probity/database/connection/connect'
import { BODY_PROBLEMS, DOOR_PROBLEMS, IDEMPOTENCY_PROBLEMS, operation } from '../../http/openapi.ts'
import { found, Problem } from '../../http/problem.ts'
import type { Route } from '../../http/route.ts'
import type { Auth } from '../../middleware/authentication/auth.ts'
import { refuseRotation } from './bounds.ts'
import { findBounds, refuseTooManyKeys } from './limits.ts'
import { presentKey, refuseBadSettings, statusOf, viewOf } from './present.ts'

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
        ...DOOR_PROBLEMS,
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
