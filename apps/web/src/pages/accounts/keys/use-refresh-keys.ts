import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useScene } from '../../../session/scene.ts'

/** Refetches the list of keys. */
export function useRefreshKeys(): () => void {
  const { key } = useScene()
  const queryClient = useQueryClient()
  return useCallback(() => void queryClient.invalidateQueries({ queryKey: [...key, 'keys'] }), [key, queryClient])
}
