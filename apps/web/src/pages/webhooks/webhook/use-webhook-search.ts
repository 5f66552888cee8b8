import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { WebhookSearch } from './webhook-search.ts'

const FROM = '/shell/webhooks/$webhookId'

export function useWebhookId(): string {
  return useParams({ from: FROM }).webhookId
}

/** Reads and changes the search parameters of the deliveries. */
export function useWebhookSearch() {
  const { status, type, skip, delivery } = useSearch({ from: FROM })
  const navigate = useNavigate({ from: '/webhooks/$webhookId' })
  const search: WebhookSearch = {
    ...(status && { status }),
    ...(type && { type }),
    ...(skip && { skip }),
    ...(delivery && { delivery }),
  }
  const turn = (next: WebhookSearch, { replace = false } = {}) =>
    void navigate({ search: next, replace, resetScroll: false })
  return { search, turn }
}
