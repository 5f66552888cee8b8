import type { Webhook, WebhookDelivery } from '@probity/sdk'
import { useState } from 'react'
import { asRequestFailed } from '../../api/probity.ts'
import { useScene } from '../../session/scene.ts'
import { formatCount } from '../../ui/format.ts'
import { useToasts } from '../../ui/Toasts.tsx'
import { useRefreshWebhooks } from '../webhooks/queries.ts'

/** Which deliveries of the page are ticked. */
export type Chosen = { has(id: string): boolean; turn(id: string): void }

/** Deliveries that are ticked, to be sent again together. What is not on the page any more is not sent. */
export function useChosen({ id: webhookId }: Webhook, shown: readonly WebhookDelivery[]) {
  const { webhooks } = useScene().probity
  const tell = useToasts()
  const refresh = useRefreshWebhooks()
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const [isSending, setSending] = useState(false)
  const wanted = shown.filter(({ id }) => ids.has(id))

  /** One after another, and on after a failure: a body that has been removed is no reason to leave out the rest. */
  async function send() {
    setSending(true)
    const faults: string[] = []
    for (const { id } of wanted) {
      await webhooks.deliveries
        .resend(webhookId, id)
        .catch((error: unknown) => faults.push(asRequestFailed(error).message))
    }
    const sent = wanted.length - faults.length
    if (sent > 0) tell.done(`${formatCount(sent, 'delivery is', 'deliveries are')} sent again.`)
    if (faults[0]) tell.failed(`${formatCount(faults.length, 'delivery was', 'deliveries were')} not. ${faults[0]}`)
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
