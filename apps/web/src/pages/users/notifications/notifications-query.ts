import type { NotificationSettings } from '@probity/contract/schemas/users'
import { queryOptions } from '@tanstack/react-query'
import { callApi } from '../../../session/client.ts'

/** The email notifications of the user in one account. */
export function notificationsQuery(accountId: string) {
  return queryOptions({
    queryKey: [accountId, 'notices'],
    queryFn: ({ signal }) => callApi<NotificationSettings>('/notices', { signal, headers: headersFor(accountId) }),
  })
}

export function saveNotifications(accountId: string, wanted: string[]): Promise<NotificationSettings> {
  return callApi('/notices', { method: 'PATCH', body: { wanted }, headers: headersFor(accountId) })
}

function headersFor(accountId: string): Record<string, string> {
  return { 'probity-account': accountId }
}
