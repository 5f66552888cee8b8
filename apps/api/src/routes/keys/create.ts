import { CreatedKey, CreateKey, DEFAULT_SCOPES } from '@probity/contract/keys'
import { type KeyType, PUBLISHABLE_SCOPES, VISITOR_CAP_DEFAULT } from '@probity/contract/publishable'
import { inTenant } from '@probity/database/connect'
import { insertKey } from '@probity/database/keys'
import type { Caller } from '../../door/caller.ts'
import { DOOR_PROBLEMS, operation } from '../../openapi.ts'
import { Problem } from '../../problem.ts'
import type { Route } from '../../route.ts'
import { fault, presentKey, refuseBadPageSettings, refuseBadSettings } from './present.ts'

/** Makes a key and shows it, this once. */
export const createKey: Route = async (app, { db }) => {
  const schema = operation(
    {
      id: 'createKey',
      tag: 'API keys',
      summary: 'Create an API key',
      description:
        'The answer holds the key itself. It is shown this once: only its hash is kept. A `publishable` key, for web pages, needs `allowed_origins`.',
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
    const {
      name,
      mode = caller.mode,
      expires_at = null,
      ip_allow_list = [],
      monthly_cap = null,
      type = 'secret',
    } = body
    const scopes = body.scopes ?? usualScopes(caller, type)
    if (mode === 'live' && caller.mode === 'test')
      throw new Problem('scope_not_held', 'A test key makes test keys only.')
    refuseBadSettings(caller, { ...body, scopes })
    refuseBadPageSettings(type, body)

    const created = await inTenant(db, caller.accountId, (trx) =>
      insertKey(trx, caller.accountId, {
        name,
        mode,
        scopes,
        expiresAt: expires_at === null ? null : new Date(expires_at),
        ipAllowList: ip_allow_list,
        monthlyCap: monthly_cap,
        ...readPageSettings(type, body),
      }),
    )
    return reply.code(201).send({ ...presentKey(created.key), key: created.text })
  })
}

/** Without a choice the usual scopes, as far as the caller has them itself; for pages there is no choice. */
function usualScopes({ scopes }: Caller, type: KeyType): string[] {
  return type === 'publishable' ? [...PUBLISHABLE_SCOPES] : DEFAULT_SCOPES.filter((scope) => scopes.includes(scope))
}

function readPageSettings(kind: KeyType, { allowed_origins, visitor_cap = VISITOR_CAP_DEFAULT }: CreateKey) {
  if (kind === 'secret') return { kind }
  if (allowed_origins === undefined) throw fault('/allowed_origins', 'is needed for a publishable key')
  return { kind, allowedOrigins: allowed_origins, visitorCap: visitor_cap }
}
