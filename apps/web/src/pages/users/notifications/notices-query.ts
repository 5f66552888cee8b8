import type { NotificationSettings } from '@probity/contract/schemas/users'
import { queryOptions } from '@tanstack/react-query'
import { ask } from '../../../session/ask.ts'

/** The email notifications of the user in one account. */
export function noticesQuery(accountId: string) {
  return queryOptions({
    queryKey: [accountId, 'notices'],
    queryFn: ({ signal }) =>
      ask<NotificationSettings>('/notices', { signal, headers: { 'probity-account': accountId } }),
  })
}
