import type { Webhook, WebhookDelivery } from '@probity/sdk'
import { useState } from 'react'
import { asRequestFailed } from '../../../session/probity.ts'
import { useScene } from '../../../session/scene.ts'
import { formatCount } from '../../../ui/format.ts'
import { useToasts } from '../../../ui/Toasts.tsx'
import { useRefreshWebhooks } from '../overview/queries.ts'

/** The selected deliveries of the page. */
export type Chosen = { has(id: string): boolean; turn(id: string): void }

/** Resends the selected deliveries together. Deliveries that are no longer on the page are skipped. */
export function useChosen({ id: webhookId }: Webhook, shown: readonly WebhookDelivery[]) {
  const { webhooks } = useScene().probity
  const tell = useToasts()
  const refresh = useRefreshWebhooks()
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const [isSending, setSending] = useState(false)
  const wanted = shown.filter(({ id }) => ids.has(id))

  /** Sequential, and continues after a failure: one expired body must not stop the others. */
  async function send() {
    setSending(true)
    const faults: string[] = []
    for (const { id } of wanted) {
      await webhooks.deliveries
        .resend(webhookId, id)
        .catch((error: unknown) => faults.push(asRequestFailed(error).message))
    }
    const sent = wanted.length - faults.length
    if (sent > 0) tell.done(`${formatCount(sent, 'delivery', 'deliveries')} resent.`)
    if (faults[0])
      tell.failed(`${formatCount(faults.length, 'delivery', 'deliveries')} could not be resent. ${faults[0]}`)
    setIds(new Set())
    setSending(false)
    await refresh()
  }

  return {
    count: wanted.length,
    isSending,
    send: () => void send(),
    chosen: {
      has: (id: string) => ids.has(id),
      turn: (id: string) =>
        setIds((now) => (now.has(id) ? new Set([...now].filter((one) => one !== id)) : new Set([...now, id]))),
    },
  }
}
