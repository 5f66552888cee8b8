import { randomUUID } from 'node:crypto'
import type { Db } from '@probity/database/connection/connect'
import { pingDatabase, wakeWorkers } from '@probity/database/validations/queue'
import type { ValidationRef } from '@probity/database/validations/validations'
import { openInteractiveQueue } from '@probity/redis/task-queues'
import { inSpan, NO_SPAN, type Span } from '@probity/telemetry/span'
import type { FastifyBaseLogger } from 'fastify'
import { refuseUnpaid } from '../middleware/idempotency/with-idempotency.ts'
import { createCharger, type Order, type PaidReceipt, type Receipt } from './charge.ts'
import { createResultWaiter, createWithdraw, type ResultWaiter, type Withdraw } from './result-waiter.ts'

/** Charges validations, enqueues them for workers and reports their results. */
export type Dispatcher = {
  /** Charges an order and enqueues its validations as part of the request's trace. Throws a Problem if it cannot be paid. */
  charge(order: Order, span?: Span): Promise<PaidReceipt[]>
  results: ResultWaiter
  withdraw: Withdraw
  /** Round trip of an empty validation to PostgreSQL, to a worker and back, in milliseconds; undefined if it is lost. */
  echo(): Promise<number | undefined>
  stop(): Promise<void>
}

/** Longer than any request waits for a result. */
const ECHO_MS_MAX = 10_000

type DispatcherOptions = { db: Db; redisUrl: string; queuePrefix: string; hurry: AbortSignal; log: FastifyBaseLogger }

export function createDispatcher({ db, redisUrl, queuePrefix, hurry, log }: DispatcherOptions): Dispatcher {
  const replyTo = randomUUID()
  const queue = openInteractiveQueue(redisUrl, queuePrefix)
  const results = createResultWaiter({ db, redisUrl, replyTo, hurry, log })
  const charger = createCharger(db, (refs) => void enqueue(refs))

  /** Spans of the charges in progress, by validation: several requests may be enqueued together. */
  const spans = new Map<string, Span>()

  function parentsOf(refs: ValidationRef[]): Record<string, string> | undefined {
    if (spans.size === 0) return undefined
    return Object.fromEntries(
      refs.flatMap(({ id }) => [[id, spans.get(id)?.traceparent]]).filter(([, parent]) => parent),
    )
  }

  async function charge(order: Order, span: Span = NO_SPAN): Promise<PaidReceipt[]> {
    const ids = span === NO_SPAN ? [] : order.purchases.flatMap((one) => (one.kind === 'work' ? [one.row.id] : []))
    if (ids.length === 0) return paid(await charger.charge(order))
    for (const id of ids) spans.set(id, span)
    const receipts = await inSpan(span, 'charge', () => charger.charge(order)).finally(() => {
      for (const id of ids) spans.delete(id)
    })
    return paid(receipts)
  }

  /** The rows are committed: a lost task delays them, and no validation is lost. */
  async function enqueue(refs: ValidationRef[]): Promise<void> {
    try {
      const parents = parentsOf(refs)
      await queue.add({ refs, replyTo, ...(parents && { traced: { at: Date.now(), parents } }) })
    } catch {
      // Redis is unavailable. Workers are notified through PostgreSQL and claim the rows there.
      results.readSoon(refs)
      await wakeWorkers(db).catch((error: unknown) =>
        log.warn({ err: error }, 'failed to notify workers; they will poll'),
      )
    }
  }

  return {
    charge,
    results,
    withdraw: createWithdraw(db),
    echo: () => measureEcho({ db, queue, results, replyTo }),
    async stop() {
      results.stop()
      await queue.close()
    },
  }
}

function paid(receipts: Receipt[]): PaidReceipt[] {
  return receipts.map((receipt) => {
    if (receipt.kind === 'unpaid') throw refuseUnpaid(receipt.posting)
    return receipt
  })
}

type EchoPath = {
  db: Db
  queue: ReturnType<typeof openInteractiveQueue>
  results: ResultWaiter
  replyTo: string
}

async function measureEcho({ db, queue, results, replyTo }: EchoPath): Promise<number | undefined> {
  const began = performance.now()
  try {
    await pingDatabase(db) // like a charge: requests may be waiting for a database connection of this process
    const name = `echo:${randomUUID()}`
    const isReported = results.listen(name, ECHO_MS_MAX)
    await queue.add({ refs: [], replyTo, echo: name })
    return (await isReported) ? performance.now() - began : undefined
  } catch {
    return undefined // PostgreSQL or Redis is unavailable
  }
}
