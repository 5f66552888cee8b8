import { queryOptions } from '@tanstack/react-query'
import type { Scene } from './scene.ts'

/** Plan, credits and limits of the account. */
export function accountQuery({ key, probity }: Scene) {
  return queryOptions({
    queryKey: [...key, 'account'],
    queryFn: ({ signal }) => probity.account.get({ signal }),
    staleTime: 15_000,
  })
}
