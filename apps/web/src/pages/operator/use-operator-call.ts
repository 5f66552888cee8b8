import { useQueryClient } from '@tanstack/react-query'
import { ask } from '../../api/ask.ts'
import { useToasts } from '../../ui/Toasts.tsx'
import { OPERATOR_KEY } from './queries.ts'

/** Does something as an operator, shows everything anew and says what was done. */
export function useOperatorCall() {
  const queryClient = useQueryClient()
  const toasts = useToasts()
  return async (path: string, body: object, done: string) => {
    await ask(`/operator${path}`, { method: 'POST', body })
    await queryClient.invalidateQueries({ queryKey: OPERATOR_KEY })
    toasts.done(done)
  }
}
