import type { KeyScope } from '@probity/contract/constants/keys'
import { mayUse, ROLES, type Role } from '@probity/contract/constants/users'
import type { Probity } from '@probity/sdk'
import { queryOptions } from '@tanstack/react-query'
import { createContext, useContext, useMemo } from 'react'
import { type Mode, probityFor } from './client.ts'
import type { Membership } from './session.ts'

/** The account and the mode of the page, with an API client for them. */
export type Scene = { membership: Membership; mode: Mode; probity: Probity; key: readonly [string, Mode] }

export const SceneContext = createContext<Scene | undefined>(undefined)

export function useScene(): Scene {
  const scene = useContext(SceneContext)
  if (scene === undefined) throw new Error('this component needs an account')
  return scene
}

export function useNewScene(membership: Membership, mode: Mode): Scene {
  const { account_id: accountId } = membership
  return useMemo(() => {
    const probity = probityFor({ accountId, mode })
    // Prefix of every query key, so that data of one account or mode is never shown in another.
    return { membership, mode, probity, key: [accountId, mode] }
  }, [membership, accountId, mode])
}

/** The scopes that a member can grant to a key: those of their role. */
export function useGrantableScopes(): readonly KeyScope[] {
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

/** Plan, credits and limits of the account. */
export function accountQuery({ key, probity }: Scene) {
  return queryOptions({
    queryKey: [...key, 'account'],
    queryFn: ({ signal }) => probity.account.get({ signal }),
    staleTime: 15_000,
  })
}

const KEPT = 'probity.account'

/** The last used account, shown if the URL names none. */
export function readLastAccount(): string | null {
  return localStorage.getItem(KEPT)
}

export function keepLastAccount(slug: string): void {
  localStorage.setItem(KEPT, slug)
}
