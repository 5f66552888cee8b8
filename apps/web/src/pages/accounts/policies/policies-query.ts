import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { probityFor } from '../../../session/probity.ts'
import { type Scene, useScene } from '../../../session/scene.ts'

/** All policies of the account, built-in and custom. They are the same in both modes. */
export function policiesQuery({ key, probity }: Scene) {
  return queryOptions({
    queryKey: [...key, 'policies'],
    queryFn: async ({ signal }) => (await probity.policies.list({ signal })).data,
  })
}

/** The client for changes to policies, which are account settings and independent of the mode. */
export function usePolicyBook() {
  const { membership } = useScene()
  return probityFor({ accountId: membership.account_id, mode: 'live' }).policies
}

export function useRefreshPolicies(): () => Promise<void> {
  const scene = useScene()
  const queryClient = useQueryClient()
  return useCallback(() => queryClient.invalidateQueries(policiesQuery(scene)), [scene, queryClient])
}
