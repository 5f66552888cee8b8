import type { DeletionPreview } from '@probity/contract/schemas/accounts'
import { queryOptions } from '@tanstack/react-query'
import { ask } from '../../../session/client.ts'

/** The data that is deleted with the account. Never cached, because the user decides by it. */
export function contentsQuery(accountId: string) {
  return queryOptions({
    queryKey: [accountId, 'contents'],
    queryFn: ({ signal }) => ask<DeletionPreview>('/deletion', { signal, headers: { 'probity-account': accountId } }),
    staleTime: 0,
    gcTime: 0,
  })
}
