import { inTenant } from '@probity/database/connection/connect'
import type { View } from '@probity/database/connection/scope'
import { openTestAccount } from '@probity/database/connection/test-database'
import { findDelivery, listDeliveries, sendTestEvent } from '@probity/database/webhooks/deliveries'
import { openTestWebhook } from '@probity/database/webhooks/test-webhooks'
import { findWebhook } from '@probity/database/webhooks/webhooks'
import { makeCertificate } from '@probity/lab/certificates'
import { startReceiver } from '@probity/lab/webhooks/receiver'
import { whenDone } from '@probity/lab/when-done'
import type { WorkerConfig } from '../server/config.ts'
import { start } from '../server/start.ts'
import { startTestWorld } from '../server/test-worker.ts'
import type { WebhookNetwork } from './post.ts'

/** Addresses of receivers, and of an internal network that webhooks must not reach. */
const OUTSIDE = '127.94.0.'
const INSIDE = '127.95.0.'

/** Workers that send webhooks, receivers with names in the lab's DNS, and customers. All receivers listen on one port. */
export async function startHookWorld() {
  const world = await startTestWorld()
  const certificate = makeCertificate({ name: '*.hooks.example' })
  let port: number | undefined
  let hosts = 0

  /** A receiver with a name of its own, at a public or an internal address. */
  async function openReceiver({ inside = false, other = certificate } = {}) {
    const address = `${inside ? INSIDE : OUTSIDE}${++hosts}`
    const place = { name: '', address, certificate: other }
    const receiver = await startReceiver({ ...place, ...(port !== undefined && { port }) })
    port = receiver.port
    whenDone(() => receiver.stop())
    const name = `r${hosts}.hooks.example`
    await world.dns.put({ [name]: { a: [address] } })
    return { ...receiver, name, url: `https://${name}/hook` }
  }

  async function startWorker(change: Partial<WorkerConfig> = {}, outside: Partial<WebhookNetwork> = {}) {
    const policy = { port: port ?? 443, allows: (address: string) => address.startsWith(OUTSIDE) }
    const webhooks = { policy, authority: certificate.cert, ...outside }
    const worker = await start({ ...world.config, ...change }, { ...world.environment, webhooks }, world.log)
    whenDone(() => worker.stop())
    return worker
  }

  /** A customer with one webhook. In test mode retries are twenty times faster. */
  async function openHook(url: string, mode: View['mode'] = 'test') {
    const { id: accountId } = await openTestAccount(world.db, 0)
    const view = { accountId, mode }
    const hook = await openTestWebhook(world.db, view, { url })
    const tenant = <T>(work: Parameters<typeof inTenant<T>>[2]) => inTenant(world.db, accountId, work)
    return {
      ...hook,
      view,
      tenant,
      async send(count = 1): Promise<string[]> {
        const ids: string[] = []
        for (let n = 0; n < count; n += 1) {
          const sent = await tenant((trx) => sendTestEvent(trx, view, hook.id))
          if (typeof sent === 'object') ids.push(sent.id)
        }
        return ids
      },
      look: () => tenant((trx) => findWebhook(trx, view, hook.id)),
      list: async () => {
        const listed = await tenant((trx) => listDeliveries(trx, view, hook.id, { skip: 0, limit: 1_000 }))
        return listed?.deliveries ?? []
      },
      /** The latest delivery with its attempts. */
      async latest() {
        const listed = await tenant((trx) => listDeliveries(trx, view, hook.id, { skip: 0, limit: 1 }))
        const deliveryId = listed?.deliveries[0]?.id ?? ''
        const found = await tenant((trx) => findDelivery(trx, view, { webhookId: hook.id, deliveryId }))
        if (found === undefined) throw new Error('nothing was sent')
        return found
      },
    }
  }
  return { ...world, certificate, openReceiver, startWorker, openHook }
}
