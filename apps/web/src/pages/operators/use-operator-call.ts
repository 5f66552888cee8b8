import { useQueryClient } from '@tanstack/react-query'
import { ask } from '../../session/ask.ts'
import { useToasts } from '../../ui/Toasts.tsx'
import { OPERATOR_KEY } from './queries.ts'
import { useWithRecentCode } from './RecentCode.tsx'

/** Sends a change of an operator, requests a 2FA code if needed, reloads the data and shows a toast. */
export function useOperatorCall() {
  const queryClient = useQueryClient()
  const toasts = useToasts()
  const withRecentCode = useWithRecentCode()
  return async (path: string, body: object, done: string) => {
    await withRecentCode(() => ask(`/operator${path}`, { method: 'POST', body }))
    await queryClient.invalidateQueries({ queryKey: OPERATOR_KEY })
    toasts.done(done)
  }
}
