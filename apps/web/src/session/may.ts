import type { KeyScope } from '@probity/contract/constants/keys'
import { mayUse, ROLES, type Role } from '@probity/contract/constants/users'
import { useScene } from './scene.ts'

/** The scopes that a member can grant to a key: those of their role. */
export function useHeldScopes(): readonly KeyScope[] {
  return ROLES[useScene().membership.role].scopes
}

/** Whether the role of the member has this scope. The API decides; pages use it to hide what would be rejected. */
export function useMay(scope: KeyScope): boolean {
  return mayUse(useScene().membership.role, scope, isRead(scope))
}

const DISJUNCTION = new Intl.ListFormat('en-GB', { type: 'disjunction' })

/** The roles that have this scope, as text. */
export function rolesFor(scope: KeyScope): string {
  return DISJUNCTION.format((Object.keys(ROLES) as Role[]).filter((role) => mayUse(role, scope, isRead(scope))))
}

function isRead(scope: KeyScope): boolean {
  return scope.endsWith(':read')
}
