import type { Probity } from '@probity/sdk'
import { createContext, useContext, useMemo } from 'react'
import { type Mode, probityFor } from '../api/probity.ts'
import type { Membership } from './session.ts'

/** What the page is about: the organisation, the mode, and a client that asks for just these. */
export type Scene = { membership: Membership; mode: Mode; probity: Probity; key: readonly [string, Mode] }

export const SceneContext = createContext<Scene | undefined>(undefined)

export function useScene(): Scene {
  const scene = useContext(SceneContext)
  if (scene === undefined) throw new Error('this part of the page needs an organisation')
  return scene
}

export function useNewScene(membership: Membership, mode: Mode): Scene {
  const { account_id: accountId } = membership
  return useMemo(() => {
    const probity = probityFor({ accountId, mode })
    // Every query's key begins with it, so that nothing of one organisation or mode is ever shown in another.
    return { membership, mode, probity, key: [accountId, mode] }
  }, [membership, accountId, mode])
}
