import type { ApiKey, ApiKeyWithSecret } from '@probity/sdk'
import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { type Scene, useScene } from '../../../session/workspace.ts'

export type Key = ApiKey
/** The request that a key was last used for. */
export type LastRequest = NonNullable<ApiKey['last_request']>
/** With its secret. Kept only in the state of the component that shows it, never in a cache, storage or URL. */
export type NewKey = ApiKeyWithSecret

/** All keys of this mode, newest first. */
export function keysQuery({ key, probity }: Scene) {
  return queryOptions({
    queryKey: [...key, 'keys'],
    queryFn: async ({ signal }) => {
      const keys: Key[] = []
      for await (const one of probity.keys.list({ signal })) keys.push(one)
      return keys
    },
  })
}

/** Refetches the list of keys. */
export function useRefreshKeys(): () => void {
  const { key } = useScene()
  const queryClient = useQueryClient()
  return useCallback(() => void queryClient.invalidateQueries({ queryKey: [...key, 'keys'] }), [key, queryClient])
}

/** An action on one key. */
export type KeyAction = { kind: 'rename' | 'limits' | 'embed' | 'rotate' | 'pause' | 'resume' | 'revoke'; key: Key }
