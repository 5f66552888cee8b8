import type { Webhook } from '@probity/sdk'
import { useMutation } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { asRequestFailed } from '../../../session/client.ts'
import { useScene } from '../../../session/workspace.ts'
import { useToasts } from '../../../ui/Toasts.tsx'
import type { WebhookSearch } from '../search.ts'
import { useRefreshWebhooks } from '../webhooks.ts'

/** Calls the API, reports the outcome as a toast, and refreshes the page. */
function useCall<T>(call: () => Promise<T>, said: string) {
  const tell = useToasts()
  const refresh = useRefreshWebhooks()
  return useMutation({
    mutationFn: call,
    onSuccess: () => tell.done(said),
    onError: (error) => tell.failed(asRequestFailed(error).message),
    onSettled: refresh,
  })
}

export function useEnable({ id }: Webhook) {
  const { webhooks } = useScene().probity
  return useCall(() => webhooks.update(id, { enabled: true }), 'Webhook enabled.')
}

export function useTestEvent({ id }: Webhook) {
  const { webhooks } = useScene().probity
  return useCall(() => webhooks.test(id), 'Test event sent.')
}

export function useResend({ id }: Webhook, deliveryId: string) {
  const { webhooks } = useScene().probity
  return useCall(() => webhooks.deliveries.resend(id, deliveryId), 'Delivery resent.')
}

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
