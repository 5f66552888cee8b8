import type { UpdateAccountOptions } from '@probity/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { accountQuery } from '../../../session/account-query.ts'
import { probityFor } from '../../../session/probity.ts'
import { useScene } from '../../../session/scene.ts'
import { refreshSession } from '../../../session/sign-in.ts'

/** Changes account settings and refetches the queries that show them. */
export function useChangeAccount() {
  const scene = useScene()
  const queryClient = useQueryClient()
  return async (change: Pick<UpdateAccountOptions, 'name' | 'retentionDays' | 'sending'>) => {
    // Account settings are the same in both modes.
    const probity = probityFor({ accountId: scene.membership.account_id, mode: 'live' })
    await probity.account.update(change)
    await Promise.all([queryClient.invalidateQueries(accountQuery(scene)), refreshSession(queryClient)])
  }
}
