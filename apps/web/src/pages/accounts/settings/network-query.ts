import type { Network } from '@probity/contract/schemas/accounts'
import { queryOptions } from '@tanstack/react-query'
import { ask } from '../../../session/ask.ts'

/** The IP allowlist of the account. */
export function networkQuery(accountId: string) {
  return queryOptions({
    queryKey: [accountId, 'network'],
    queryFn: ({ signal }) => ask<Network>('/network', { signal, headers: { 'probity-account': accountId } }),
  })
}
