import { createConnectionPool } from '../connections/pool.ts'
import { limitsFor, nextRetryMs } from '../providers/limits.ts'
import { probeDomain } from './probe.ts'
import type { ProbeNetwork, ProbeRequest, Recipient } from './request.ts'
import type { ProbeResult } from './result.ts'

/** Probes mailboxes. Requests for the same domain are grouped. */
export type MailboxProber = {
  probe(request: MailboxProbeRequest): Promise<ProbeResult>
  /** The delay of the next attempt by the provider's retry schedule; null after the last one. */
  nextRetryMs(provider: string, attempts: number, afterMs: number | null): number | null
  /** Closes the connections after the running probes have finished. */
  close(): Promise<void>
}

export type MailboxProbeRequest = Omit<ProbeRequest, 'recipients'> & { recipient: Recipient }

/** The requests of one domain. `isKnown`: a finished batch has shown whether the domain is a catch-all. */
type Queue = { waiting: PendingRequest[]; running: number; isKnown: boolean }

type PendingRequest = { request: MailboxProbeRequest; resolve(result: ProbeResult): void; reject(error: unknown): void }

/** Addresses of one domain that are probed together. More would occupy a connection for too long. */
const BATCH_MAX = 100

/**
 * Groups requests by domain: those that arrive while a batch is being probed wait for the next one, which uses the same connection. A
 * further connection is opened only when a whole batch is waiting, and not before the first batch has finished: two that run at once would
 * both have to probe the control recipient.
 */
export function createMailboxProber(options: Omit<ProbeNetwork, 'pool'>): MailboxProber {
  const network: ProbeNetwork = { ...options, pool: createConnectionPool(options) }
  const queues = new Map<string, Queue>()
  const running = new Set<Promise<void>>()

  function start(domain: string): void {
    const queue = queues.get(domain)
    const [first] = queue?.waiting ?? []
    if (queue === undefined || first === undefined) return
    const { connectionsPerEgress } = limitsFor(first.request.provider, network.providerLimits)
    const isFull = queue.isKnown && queue.waiting.length >= BATCH_MAX
    if (queue.running > 0 && !(isFull && queue.running < connectionsPerEgress)) return

    queue.running += 1
    const work = probeBatch(queue.waiting.splice(0, BATCH_MAX), network).finally(() => {
      running.delete(work)
      queue.running -= 1
      queue.isKnown = true
      if (queue.waiting.length > 0) start(domain)
      else if (queue.running === 0) queues.delete(domain)
    })
    running.add(work)
    start(domain)
  }

  return {
    probe(request) {
      const { domain } = request
      return new Promise((resolve, reject) => {
        const queue = queues.get(domain) ?? { waiting: [], running: 0, isKnown: false }
        queues.set(domain, queue)
        queue.waiting.push({ request, resolve, reject })
        // After the other requests of this turn of the event loop.
        if (queue.waiting.length % BATCH_MAX === 1) setImmediate(() => start(domain))
      })
    },
    nextRetryMs: (provider, attempts, afterMs) =>
      nextRetryMs(limitsFor(provider, network.providerLimits), attempts, afterMs),
    async close() {
      await Promise.all(running)
      await network.pool.close()
    },
  }
}

async function probeBatch(batch: PendingRequest[], network: ProbeNetwork): Promise<void> {
  const [first] = batch
  if (first === undefined) return
  const recipients = batch.map(({ request }) => ({ ...request.recipient }))
  const deadline = Math.min(...batch.map(({ request }) => request.deadline))
  try {
    const results = await probeDomain({ ...first.request, recipients, deadline }, network)
    for (const [n, { resolve, reject }] of batch.entries()) {
      const result = results[n]
      if (result) resolve(result)
      else reject(new Error('probe without a result'))
    }
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}
