import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { type CurrentResult, listCurrentResults } from '@probity/database/validations/deferred'
import type { ValidationRef } from '@probity/database/validations/validations'
import { subscribeToAnswers } from '@probity/queue/answers'
import type { FastifyBaseLogger } from 'fastify'

/** The result from a worker. `retryAt` is set while the validation is deferred; then `result` is the result so far. */
export type Told = { result: StoredResult; retryAt: number | null; refunded: boolean }

export function readTold({ result, retryAt, refunded }: Pick<CurrentResult, 'result' | 'retryAt' | 'refunded'>): Told {
  return { result: result as StoredResult, retryAt, refunded }
}

/** Callers who wait for a worker's answer. */
export type WaitingRoom = {
  /** The answer, or undefined when the time is up or the process must stop. */
  wait(ref: ValidationRef, timeoutMs: number, options?: { isAnnounced: boolean }): Promise<Told | undefined>
  /** Whether a sign with that name comes within the time. */
  listen(name: string, timeoutMs: number): Promise<boolean>
  /** Marks validations that could not be enqueued, whose results are therefore not announced either. */
  expectSilence(refs: ValidationRef[]): void
  stop(): void
}

const LOOK_EVERY_MS = 100
/** An answer that was not announced by then may have been lost on the way. */
const LOST_AFTER_MS = 1_000

type Waiter = { ref: ValidationRef; lookFrom: number; resolve(told: Told | undefined): void }

type Room = { db: Db; redisUrl: string; replyTo: string; hurry: AbortSignal; log: FastifyBaseLogger }

export function openWaitingRoom({ db, redisUrl, replyTo, hurry, log }: Room): WaitingRoom {
  /** By validation: any number of requests may wait for the same one, each with a timeout of its own. */
  const waiting = new Map<string, Set<Waiter>>()
  const listeners = new Map<string, () => void>()
  const listWaiters = () => [...waiting.values()].flatMap((waiters) => [...waiters])
  const tell = (id: string, told: Told) => {
    for (const waiter of [...(waiting.get(id) ?? [])]) waiter.resolve(told)
  }
  const subscription = subscribeToAnswers(redisUrl, replyTo, (told) => {
    if (told.result === null) listeners.get(told.id)?.()
    else tell(told.id, readTold(told))
  })
  hurry.addEventListener('abort', () => {
    for (const { resolve } of listWaiters()) resolve(undefined)
  })

  /** Results that were not announced are read from PostgreSQL, which is authoritative. */
  async function look(): Promise<void> {
    const now = performance.now()
    const due = new Map(listWaiters().flatMap(({ ref, lookFrom }) => (lookFrom <= now ? [[ref.id, ref]] : [])))
    for (const [accountId, refs] of Map.groupBy(due.values(), (ref) => ref.accountId)) {
      const found = await inTenant(db, accountId, (trx) => listCurrentResults(trx, refs))
      for (const known of found) tell(known.id, readTold(known))
    }
  }

  let looking = false
  const timer = setInterval(() => {
    if (looking || waiting.size === 0) return
    looking = true
    void look()
      .catch((error: unknown) => log.warn({ err: error }, 'failed to read results'))
      .finally(() => (looking = false))
  }, LOOK_EVERY_MS)
  timer.unref()

  return {
    wait(ref, timeoutMs, { isAnnounced } = { isAnnounced: true }) {
      if (hurry.aborted) return Promise.resolve(undefined)
      return new Promise((resolve) => {
        const waiters = waiting.get(ref.id) ?? new Set<Waiter>()
        const waiter: Waiter = {
          ref,
          lookFrom: isAnnounced ? performance.now() + LOST_AFTER_MS : 0,
          resolve(told) {
            clearTimeout(timeout)
            waiters.delete(waiter)
            if (waiters.size === 0) waiting.delete(ref.id)
            resolve(told)
          },
        }
        const timeout = setTimeout(() => waiter.resolve(undefined), timeoutMs)
        waiting.set(ref.id, waiters.add(waiter))
      })
    },
    listen: (name, timeoutMs) =>
      new Promise((resolve) => {
        const end = (isHeard: boolean) => {
          clearTimeout(timeout)
          listeners.delete(name)
          resolve(isHeard)
        }
        const timeout = setTimeout(end, timeoutMs, false).unref()
        listeners.set(name, () => end(true))
      }),
    expectSilence(refs) {
      for (const { id } of refs) for (const waiter of waiting.get(id) ?? []) waiter.lookFrom = 0
    },
    stop() {
      clearInterval(timer)
      subscription.stop()
    },
  }
}
