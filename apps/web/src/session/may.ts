import type { KeyScope } from '@probity/contract/keys'
import { mayUse, ROLES, type Role } from '@probity/contract/roles'
import { useScene } from './scene.ts'

/** What one's role may hand to a key: nobody gives away more than they have. */
export function useHeldScopes(): readonly KeyScope[] {
  return ROLES[useScene().membership.role].scopes
}

/** Whether one's role may change or spend something under this scope. The service decides; pages know it in advance. */
export function useMay(scope: KeyScope): boolean {
  return mayUse(useScene().membership.role, scope, false)
}

const DISJUNCTION = new Intl.ListFormat('en-GB', { type: 'disjunction' })

/** Who may change or spend something under this scope, in words. */
export function rolesFor(scope: KeyScope): string {
  return DISJUNCTION.format((Object.keys(ROLES) as Role[]).filter((role) => mayUse(role, scope, false)))
}
