import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { type Scene, useScene } from '../../session/scene.ts'
import type { ListingsSearch } from './listings-search.ts'

export const LISTINGS_PER_PAGE = 20

const listingsKey = ({ key }: Scene) => [...key, 'listings'] as const

export function listingsQuery(scene: Scene, { list, search, skip = 0 }: ListingsSearch) {
  return queryOptions({
    queryKey: [...listingsKey(scene), { list, search, skip }],
    queryFn: async ({ signal }) => {
      const call = scene.probity.listings.list({ list, search, skip, limit: LISTINGS_PER_PAGE, signal })
      const { data, response } = await call.withResponse()
      return { listings: data, total: response.total ?? data.length }
    },
    placeholderData: keepPreviousData,
  })
}

/** Has the lists asked for anew wherever they are shown. */
export function useRefreshListings(): () => Promise<void> {
  const scene = useScene()
  const queryClient = useQueryClient()
  return useCallback(() => queryClient.invalidateQueries({ queryKey: listingsKey(scene) }), [scene, queryClient])
}
