import type { KeyType } from './publishable.ts'

/** The scopes of API keys. A scope that ends in `:write` includes the one of the same subject that ends in `:read`. */
export const KEY_SCOPES = {
  'validations:read': 'read stored validation results.',
  'validations:write': 'validate addresses, one or many per request, and report the delivery outcome of messages.',
  'jobs:read': 'read uploads, jobs and their results.',
  'jobs:write': 'upload lists; start, pause, resume, cancel and delete jobs.',
  'account:read': 'read plan, credits, limits, usage, request log, policies and overrides.',
  'account:write': 'change account settings, policies and overrides.',
  'keys:read': 'read API keys, without their secrets.',
  'keys:write': 'create, change, rotate and revoke API keys.',
  'webhooks:read': 'read webhooks and their deliveries.',
  'webhooks:write': 'create, change, test and delete webhooks, resend deliveries, and set the low-credit threshold.',
} as const satisfies Record<string, string>

export type KeyScope = keyof typeof KEY_SCOPES

/** The scopes of a secret key if the request names none. They exclude other keys, webhooks and account settings. */
export const DEFAULT_SCOPES: readonly KeyScope[] = [
  'validations:read',
  'validations:write',
  'jobs:read',
  'jobs:write',
  'account:read',
]

const SCOPES = Object.keys(KEY_SCOPES) as KeyScope[]

/**
 * The scopes that are stored for a key, in the order of the table. A write scope adds the read scope of its subject. A publishable
 * key is the exception: it is public, so it must not read what it validated.
 */
export function expandScopes(scopes: readonly KeyScope[], type: KeyType = 'secret'): KeyScope[] {
  if (type === 'publishable') return [...scopes]
  return SCOPES.filter((scope) => scopes.includes(scope) || scopes.some((other) => includesScope(other, scope)))
}

function includesScope(write: KeyScope, read: KeyScope): boolean {
  return write.endsWith(':write') && read === write.replace(/write$/, 'read')
}
