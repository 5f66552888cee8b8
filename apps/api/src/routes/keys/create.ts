import { CreatedKey, CreateKey, DEFAULT_SCOPES } from '@probity/contract/keys'
import { inTenant } from '@probity/database/connect'
import { insertKey } from '@probity/database/keys'
import { DOOR_PROBLEMS, operation } from '../../openapi.ts'
import { Problem } from '../../problem.ts'
import type { Route } from '../../route.ts'
import { presentKey, refuseBadSettings } from './present.ts'

/** Makes a key and shows it, this once. */
export const createKey: Route = async (app, { db }) => {
  const schema = operation(
    {
      id: 'createKey',
      tag: 'API keys',
      summary: 'Create an API key',
      description: 'The answer holds the key itself. It is shown this once: only its hash is kept.',
      problems: [
        'invalid_request',
        'malformed_json',
        'scope_not_held',
        'payload_too_large',
        'unsupported_media_type',
        ...DOOR_PROBLEMS,
      ],
    },
    { body: CreateKey, response: { 201: CreatedKey } },
  )
  app.post('/keys', { schema, config: { scope: 'keys' } }, async (request, reply) => {
    const { caller, body } = request
    const { name, mode = caller.mode, expires_at = null, ip_allow_list = [], monthly_cap = null } = body
    // Without a choice the usual scopes, as far as the caller has them itself.
    const scopes = body.scopes ?? DEFAULT_SCOPES.filter((scope) => caller.scopes.includes(scope))
    if (mode === 'live' && caller.mode === 'test')
      throw new Problem('scope_not_held', 'A test key makes test keys only.')
    refuseBadSettings(caller, { ...body, scopes })

    const created = await inTenant(db, caller.accountId, (trx) =>
      insertKey(trx, caller.accountId, {
        name,
        mode,
        scopes,
        expiresAt: expires_at === null ? null : new Date(expires_at),
        ipAllowList: ip_allow_list,
        monthlyCap: monthly_cap,
      }),
    )
    return reply.code(201).send({ ...presentKey(created.key), key: created.text })
  })
}
