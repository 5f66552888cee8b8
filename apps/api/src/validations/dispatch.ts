import { randomUUID } from 'node:crypto'
import type { Db } from '@probity/database/connection/connect'
import { pingDatabase, wakeWorkers } from '@probity/database/validations/queue'
import type { ValidationRef } from '@probity/database/validations/validations'
import { openInteractiveQueue } from '@probity/redis/task-queues'
import { inSpan, NO_SPAN, type Span } from '@probity/telemetry/span'
import type { FastifyBaseLogger } from 'fastify'
import { openTill, type Payer, type Purchase, type Receipt } from './charge.ts'
import { openWaitingRoom, type WaitingRoom } from './result-waiter.ts'
import { openWithdrawals, type Withdraw } from './withdraw.ts'

/** Charges validations, enqueues them and waits for their results. */
export type ValidationDesk = {
  /** Charges a purchase and enqueues its validations as part of the request's trace. */
  pay(payer: Payer, purchase: Purchase, span?: Span): Promise<Receipt>
  waitingRoom: WaitingRoom
  withdraw: Withdraw
  /** Enqueues committed validations. */
  handOver(refs: ValidationRef[]): void
  /** Round trip of an empty validation to PostgreSQL, to a worker and back, in milliseconds; undefined if it is lost. */
  echo(): Promise<number | undefined>
  stop(): Promise<void>
}

/** Longer than any request waits for a result. */
const ECHO_MS_MAX = 10_000

type DeskOptions = { db: Db; redisUrl: string; queuePrefix: string; hurry: AbortSignal; log: FastifyBaseLogger }

export function openValidationDesk({ db, redisUrl, queuePrefix, hurry, log }: DeskOptions): ValidationDesk {
  const replyTo = randomUUID()
  const queue = openInteractiveQueue(redisUrl, queuePrefix)
  const waitingRoom = openWaitingRoom({ db, redisUrl, replyTo, hurry, log })
  const till = openTill(db, (refs) => void handOver(refs))

  /** Spans of the charges in progress, by validation: several requests may be enqueued together. */
  const spans = new Map<string, Span>()

  function parentsOf(refs: ValidationRef[]): Record<string, string> | undefined {
    if (spans.size === 0) return undefined
    return Object.fromEntries(
      refs.flatMap(({ id }) => [[id, spans.get(id)?.traceparent]]).filter(([, parent]) => parent),
    )
  }

  async function pay(payer: Payer, purchase: Purchase, span: Span = NO_SPAN): Promise<Receipt> {
    if (span === NO_SPAN || purchase.kind !== 'work') return till.pay(payer, purchase)
    const { id } = purchase.row
    spans.set(id, span)
    return inSpan(span, 'charge', () => till.pay(payer, purchase)).finally(() => spans.delete(id))
  }

  /** The rows are committed: a lost task delays them, and no validation is lost. */
  async function handOver(refs: ValidationRef[]): Promise<void> {
    try {
      const parents = parentsOf(refs)
      await queue.add({ refs, replyTo, ...(parents && { traced: { at: Date.now(), parents } }) })
    } catch {
      // Redis is unavailable. Workers are notified through PostgreSQL and claim the rows there.
      waitingRoom.expectSilence(refs)
      await wakeWorkers(db).catch((error: unknown) =>
        log.warn({ err: error }, 'failed to notify workers; they will poll'),
      )
    }
  }

  return {
    pay,
    waitingRoom,
    withdraw: openWithdrawals(db),
    handOver: (refs) => void handOver(refs),
    echo: () => measureEcho({ db, queue, waitingRoom, replyTo }),
    async stop() {
      waitingRoom.stop()
      await queue.close()
    },
  }
}

type EchoPath = {
  db: Db
  queue: ReturnType<typeof openInteractiveQueue>
  waitingRoom: WaitingRoom
  replyTo: string
}

async function measureEcho({ db, queue, waitingRoom, replyTo }: EchoPath): Promise<number | undefined> {
  const began = performance.now()
  try {
    await pingDatabase(db) // like a charge: requests may be waiting for a database connection of this process
    const name = `echo:${randomUUID()}`
    const heard = waitingRoom.listen(name, ECHO_MS_MAX)
    await queue.add({ refs: [], replyTo, echo: name })
    return (await heard) ? performance.now() - began : undefined
  } catch {
    return undefined // PostgreSQL or Redis is unavailable
  }
}
