import type { Probity } from '@probity/sdk'
import { createContext, useContext, useMemo } from 'react'
import { type Mode, probityFor } from './probity.ts'
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
