import { KEY_SCOPES, type KeyScope } from './keys.ts'

/** Rights of a member in an account. `members` has no scope: no key has this right. */
type RoleRights = {
  meaning: string
  scopes: readonly KeyScope[]
  /** Whether requests that change something are rejected, also on routes without a scope. */
  readsOnly: boolean
  /** Whether the member can invite and remove members and change their roles. */
  members: boolean
}

const MARKETER_SCOPES = ['validations:read', 'validations:write', 'jobs:read', 'jobs:write', 'account:read'] as const
const DEVELOPER_SCOPES = [...MARKETER_SCOPES, 'keys:read', 'keys:write', 'webhooks:read', 'webhooks:write'] as const
const ALL_SCOPES = Object.keys(KEY_SCOPES) as KeyScope[]

export const ROLES = {
  owner: {
    meaning: 'All rights. An account always has an owner.',
    scopes: ALL_SCOPES,
    readsOnly: false,
    members: true,
  },
  admin: {
    meaning: 'All rights, except to add or remove owners.',
    scopes: ALL_SCOPES,
    readsOnly: false,
    members: true,
  },
  developer: {
    meaning: 'Validates addresses and lists, and manages API keys and webhooks.',
    scopes: DEVELOPER_SCOPES,
    readsOnly: false,
    members: false,
  },
  marketer: {
    meaning: 'Validates addresses and lists.',
    scopes: MARKETER_SCOPES,
    readsOnly: false,
    members: false,
  },
  viewer: {
    meaning: 'Reads lists, their results and the account. Cannot use credits.',
    scopes: ['jobs:read', 'account:read'],
    readsOnly: true,
    members: false,
  },
} as const satisfies Record<string, RoleRights>

export type Role = keyof typeof ROLES

/** Whether a role can use a route with this scope. `reads` is true for requests that change nothing and use no credits. */
export function mayUse(role: Role, scope: KeyScope | undefined, reads: boolean): boolean {
  const { scopes, readsOnly }: RoleRights = ROLES[role]
  if (readsOnly && !reads) return false
  return scope === undefined || scopes.includes(scope)
}

/** The email notifications. `default_notifications` in packages/database/schema/users.sql has the defaults of each role. */
export const NOTIFICATIONS = {
  job_done: { meaning: 'A list is completed or has failed.' },
  credits_low: { meaning: 'Credits are low.' },
  key_created: { meaning: 'An API key was created.' },
  webhook_failing: { meaning: 'A webhook was disabled because its deliveries failed.' },
  retention_warning: { meaning: 'The results of a list will be deleted in three days.' },
} as const satisfies Record<string, { meaning: string }>

export type NotificationKind = keyof typeof NOTIFICATIONS

export const NOTIFICATION_KINDS = Object.keys(NOTIFICATIONS) as NotificationKind[]
