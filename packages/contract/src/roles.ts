import type { KeyScope } from './keys.ts'

/** What a member of an organisation may do in it. `members` has no scope, since no key may do it. */
type Powers = {
  meaning: string
  scopes: readonly KeyScope[]
  /** May look and do nothing else, whatever the scopes are. */
  readsOnly: boolean
  /** Invite people, change their roles, remove them. */
  members: boolean
}

const DEVELOPING = ['validation', 'bulk', 'account', 'keys', 'webhooks'] as const
const EVERYTHING = [...DEVELOPING, 'settings'] as const

export const ROLES = {
  owner: {
    meaning: 'Does everything. There is always one.',
    scopes: EVERYTHING,
    readsOnly: false,
    members: true,
  },
  admin: {
    meaning: 'Does everything but make or unmake owners.',
    scopes: EVERYTHING,
    readsOnly: false,
    members: true,
  },
  developer: {
    meaning: 'Validates addresses and lists, and manages API keys and webhooks.',
    scopes: DEVELOPING,
    readsOnly: false,
    members: false,
  },
  marketer: {
    meaning: 'Validates addresses and lists.',
    scopes: ['validation', 'bulk', 'account'],
    readsOnly: false,
    members: false,
  },
  viewer: {
    meaning: 'Looks at lists, their results and the account, and spends nothing.',
    scopes: ['bulk', 'account'],
    readsOnly: true,
    members: false,
  },
} as const satisfies Record<string, Powers>

export type Role = keyof typeof ROLES

/** Whether a role may use a route that needs this scope. `reads` is true for routes that change and spend nothing. */
export function mayUse(role: Role, scope: KeyScope | undefined, reads: boolean): boolean {
  const { scopes, readsOnly }: Powers = ROLES[role]
  if (readsOnly && !reads) return false
  return scope === undefined || scopes.includes(scope)
}
