import type { Webhook } from '@probity/sdk'
import { useMutation } from '@tanstack/react-query'
import { asRequestFailed } from '../../../session/probity.ts'
import { useScene } from '../../../session/scene.ts'
import { useToasts } from '../../../ui/Toasts.tsx'
import { useRefreshWebhooks } from '../overview/queries.ts'

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
