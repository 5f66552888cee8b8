import { createHash } from 'node:crypto'
import { SEND_THRESHOLD_DEFAULT } from '@probity/contract/constants/data/model-parameters'
import { PUBLIC_SANDBOX_KEY } from '@probity/contract/constants/sandbox'
import { EXCLUDED_TRAITS_DEFAULT } from '@probity/contract/constants/validations'
import type { AuthKey } from '@probity/database/accounts/keys'

/** For all clients of a network (an IPv4 address or an IPv6 /64) that use the public sandbox key. */
const REQUESTS_PER_MINUTE = 60

const SANDBOX_KEY_ID = '00000000-0000-0000-0000-000000000000'

/**
 * The client for the public sandbox key. Each network is an account with its own rate and recent results; there is no such account in
 * the database.
 */
export function publicSandboxAuth(text: string, network: string): AuthKey | undefined {
  if (text !== PUBLIC_SANDBOX_KEY) return undefined
  return {
    id: SANDBOX_KEY_ID,
    accountId: `sandbox-${createHash('sha256').update(network).digest('base64url')}`,
    mode: 'test',
    name: 'public sandbox',
    scopes: ['validations:write'],
    ipAllowList: [],
    accountIpAllowList: [],
    expiresAt: null,
    pausedAt: null,
    revokedAt: null,
    retentionDays: 1,
    plan: 'sandbox',
    apiAccess: true,
    requestsPerWindow: REQUESTS_PER_MINUTE,
    windowS: 60,
    interactiveInFlight: 1,
    kind: 'secret',
    allowedOrigins: [],
    allowedPolicies: [],
    visitorCap: null,
    suspended: false,
    ai: true,
    catchall: true,
    sendThreshold: SEND_THRESHOLD_DEFAULT,
    excludedTraits: [...EXCLUDED_TRAITS_DEFAULT],
  }
}

export function isPublicSandbox({ id }: { id: string | null }): boolean {
  return id === SANDBOX_KEY_ID
}
