import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useScene } from '../session/scene.ts'

/** Has the list of keys asked for anew wherever it is shown. */
export function useRefreshKeys(): () => void {
  const { key } = useScene()
  const queryClient = useQueryClient()
  return useCallback(() => void queryClient.invalidateQueries({ queryKey: [...key, 'keys'] }), [key, queryClient])
}
