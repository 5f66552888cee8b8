import type { View } from '@probity/database/connection/scope'
import type { Auth } from './auth.ts'

/** Live keys see the lists and webhooks of live keys, test keys those of test keys. */
export function viewOf({ accountId, mode }: Auth): View {
  return { accountId, mode }
}
