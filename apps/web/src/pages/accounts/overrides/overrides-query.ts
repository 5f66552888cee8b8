import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { type Scene, useScene } from '../../../session/scene.ts'
import type { OverridesSearch } from './overrides-search.ts'

export const OVERRIDES_PER_PAGE = 20

const overridesKey = ({ key }: Scene) => [...key, 'overrides'] as const

export function overridesQuery(scene: Scene, { action, search, skip = 0 }: OverridesSearch) {
  return queryOptions({
    queryKey: [...overridesKey(scene), { action, search, skip }],
    queryFn: async ({ signal }) => {
      const call = scene.probity.overrides.list({ action, search, skip, limit: OVERRIDES_PER_PAGE, signal })
      const { data, total } = await call
      return { overrides: data, total: total ?? data.length }
    },
    placeholderData: keepPreviousData,
  })
}

/** Refetches the overrides. */
export function useRefreshOverrides(): () => Promise<void> {
  const scene = useScene()
  const queryClient = useQueryClient()
  return useCallback(() => queryClient.invalidateQueries({ queryKey: overridesKey(scene) }), [scene, queryClient])
}
