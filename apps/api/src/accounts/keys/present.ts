import type { KeyScope } from '@probity/contract/constants/keys'
import { isOrigin, type KeyType, PUBLISHABLE_SCOPES } from '@probity/contract/constants/keys'
import type { ApiKey as ShownKey } from '@probity/contract/schemas/keys'
import type { ApiKey, KeyView } from '@probity/database/accounts/keys'
import { isRange } from '../../http/networks.ts'
import { invalidField, Problem } from '../../http/problem.ts'
import type { Auth } from '../../middleware/authentication/auth.ts'

/** A key as in responses. */
export function presentKey(key: ApiKey): ShownKey {
  return {
    id: key.id,
    name: key.name,
    livemode: key.mode === 'live',
    hint: key.hint,
    scopes: key.scopes,
    status: statusOf(key),
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    last_request: key.lastRequest,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    replaces_key_id: key.replaces,
    replaced_by_key_id: key.replacedBy,
    paused: key.pausedAt !== null,
    ip_allowlist: key.ipAllowList,
    monthly_cap: key.monthlyCap,
    type: key.kind,
    allowed_origins: key.allowedOrigins,
    allowed_policies: key.allowedPolicies,
    visitor_cap: key.visitorCap,
    public_key: key.publicText,
  }
}

export function statusOf(key: ApiKey): ShownKey['status'] {
  if (key.revokedAt) return 'revoked'
  if (key.expiresAt && key.expiresAt.getTime() <= Date.now()) return 'expired'
  return key.pausedAt ? 'paused' : 'active'
}

/** The keys that the calling key can see and change: a test key sees only test keys. */
export function viewOf(auth: Auth): KeyView {
  return auth.mode === 'live' ? { accountId: auth.accountId } : { accountId: auth.accountId, mode: 'test' }
}

type KeySettings = { scopes?: KeyScope[]; expires_at?: string | null; ip_allowlist?: string[] }

/** Rejects settings that the schema cannot reject: scopes that the calling key lacks, malformed IP ranges, an expiry in the past. */
export function refuseBadSettings(auth: Auth, settings: KeySettings): void {
  const beyond = settings.scopes?.some((scope) => !auth.scopes.includes(scope))
  if (beyond) throw new Problem('scope_not_grantable')
  const wrong = settings.ip_allowlist?.findIndex((entry) => !isRange(entry)) ?? -1
  if (wrong >= 0) throw invalidField(`/ip_allowlist/${wrong}`, 'must be an IP address or a CIDR range')
  if (settings.expires_at && Date.parse(settings.expires_at) <= Date.now()) {
    throw invalidField('/expires_at', 'must be in the future')
  }
}

type PageSettings = {
  scopes?: KeyScope[]
  allowed_origins?: string[]
  allowed_policies?: string[]
  visitor_cap?: number
}

/** Rejects settings of publishable keys for a secret key, and the reverse. */
export function refuseBadPageSettings(
  kind: KeyType,
  { scopes = [], allowed_origins, allowed_policies, visitor_cap }: PageSettings,
): void {
  if (kind === 'secret') {
    if (allowed_origins) throw invalidField('/allowed_origins', 'is for publishable keys')
    if (allowed_policies) throw invalidField('/allowed_policies', 'is for publishable keys')
    if (visitor_cap !== undefined) throw invalidField('/visitor_cap', 'is for publishable keys')
    return
  }
  const wrong = allowed_origins?.findIndex((origin) => !isOrigin(origin)) ?? -1
  if (wrong >= 0) throw invalidField(`/allowed_origins/${wrong}`, 'must be an origin as browsers send it')
  const allowed: readonly KeyScope[] = PUBLISHABLE_SCOPES
  if (scopes.some((scope) => !allowed.includes(scope))) {
    throw invalidField('/scopes', `must be left out or ${JSON.stringify(allowed)}`)
  }
}
