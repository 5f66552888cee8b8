import type { Webhook } from '@probity/sdk'
import { useMutation } from '@tanstack/react-query'
import { asRequestFailed } from '../../api/probity.ts'
import { useScene } from '../../session/scene.ts'
import { useToasts } from '../../ui/Toasts.tsx'
import { useRefreshWebhooks } from '../webhooks/queries.ts'

/** Sends something to the service at the press of a button, says what came of it, and shows how things stand then. */
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
  return useCall(() => webhooks.update(id, { enabled: true }), 'The webhook is enabled.')
}

export function useTestEvent({ id }: Webhook) {
  const { webhooks } = useScene().probity
  return useCall(() => webhooks.test(id), 'A test event is on its way.')
}

export function useResend({ id }: Webhook, deliveryId: string) {
  const { webhooks } = useScene().probity
  return useCall(() => webhooks.deliveries.resend(id, deliveryId), 'The event is sent again.')
}
