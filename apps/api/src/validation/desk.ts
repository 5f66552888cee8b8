import { randomUUID } from 'node:crypto'
import type { Db } from '@probity/database/connect'
import type { ValidationRef } from '@probity/database/validations'
import { callWorkers } from '@probity/database/work'
import { openInteractiveQueue } from '@probity/queue/interactive'
import type { FastifyBaseLogger } from 'fastify'
import { openTill, type Till } from './till.ts'
import { openWaitingRoom, type WaitingRoom } from './waiting-room.ts'

/** Where validations are paid for, handed to the workers and waited for. */
export type ValidationDesk = {
  till: Till
  waitingRoom: WaitingRoom
  /** Hands committed validations to the workers. */
  handOver(refs: ValidationRef[]): void
  stop(): Promise<void>
}

type DeskOptions = { db: Db; redisUrl: string; queuePrefix: string; hurry: AbortSignal; log: FastifyBaseLogger }

export function openValidationDesk({ db, redisUrl, queuePrefix, hurry, log }: DeskOptions): ValidationDesk {
  const replyTo = randomUUID()
  const queue = openInteractiveQueue(redisUrl, queuePrefix)
  const waitingRoom = openWaitingRoom({ db, redisUrl, replyTo, hurry, log })
  const till = openTill(db, (refs) => void handOver(refs))

  /** The rows are committed: from here on nothing can be lost, only late. */
  async function handOver(refs: ValidationRef[]): Promise<void> {
    try {
      await queue.add({ refs, replyTo })
    } catch {
      // Redis is away. The workers are called through PostgreSQL and take the rows from there.
      waitingRoom.expectSilence(refs)
      await callWorkers(db).catch((error: unknown) =>
        log.warn({ err: error }, 'workers not called; they look by themselves'),
      )
    }
  }

  return {
    till,
    waitingRoom,
    handOver: (refs) => void handOver(refs),
    async stop() {
      waitingRoom.stop()
      await queue.close()
    },
  }
}
