import type { KeyMode } from '@probity/contract/constants/keys'
import {
  DEFAULT_SCOPES,
  type KeyScope,
  type KeyType,
  PUBLISHABLE_MONTHLY_CAP_DEFAULT,
  PUBLISHABLE_SCOPES,
  VISITOR_CAP_DEFAULT,
} from '@probity/contract/constants/keys'
import { CreatedKey, CreateKey } from '@probity/contract/schemas/keys'
import { insertKey, type KeyBounds } from '@probity/database/accounts/keys'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { DOOR_PROBLEMS, IDEMPOTENCY_PROBLEMS, operation } from '../../http/openapi.ts'
import { Problem } from '../../http/problem.ts'
import type { Route } from '../../http/route.ts'
import type { Auth } from '../../middleware/authentication/auth.ts'
import { boundNewKey } from './bounds.ts'
import { findBounds, refuseTooManyKeys } from './limits.ts'
import { fault, presentKey, refuseBadPageSettings, refuseBadSettings } from './present.ts'

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
        ...DOOR_PROBLEMS,
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
  if (allowed_origins === undefined) throw fault('/allowed_origins', 'is required for a publishable key')
  const policies = allowed_policies && { allowedPolicies: allowed_policies }
  return { kind, allowedOrigins: allowed_origins, visitorCap: visitor_cap, ...policies }
}
