import { createBatcher } from '@probity/concurrency/scheduling'
import { notStartedResult } from '@probity/contract/schemas/validations/stored-result'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { withdrawUnclaimed } from '@probity/database/validations/charge'
import { listCurrentResults } from '@probity/database/validations/deferred'
import type { ValidationRef } from '@probity/database/validations/validations'
import { subscribeToResults } from '@probity/redis/result-notification'
import type { FastifyBaseLogger } from 'fastify'
import { type KnownResult, readCurrent } from './charge.ts'
import { addTextFindings } from './text-findings.ts'

/** Lets requests wait for the results of workers. */
export type ResultWaiter = {
  /** The result; undefined after the timeout and when the process stops. */
  wait(ref: ValidationRef, timeoutMs: number, options?: { isAnnounced: boolean }): Promise<KnownResult | undefined>
  /** Whether a notification with that name arrives before the timeout. */
  listen(name: string, timeoutMs: number): Promise<boolean>
  /** Reads the results of validations that could not be enqueued: they are not announced either. */
  readSoon(refs: ValidationRef[]): void
  stop(): void
}

const LOOK_EVERY_MS = 100
/** A notification that has not arrived by then may have been lost. */
const LOST_AFTER_MS = 1_000

type Waiter = { ref: ValidationRef; lookFrom: number; resolve(result: KnownResult | undefined): void }

type WaiterOptions = { db: Db; redisUrl: string; replyTo: string; hurry: AbortSignal; log: FastifyBaseLogger }

export function createResultWaiter({ db, redisUrl, replyTo, hurry, log }: WaiterOptions): ResultWaiter {
  const waiters = openWaiters()
  const listeners = openListeners()
  const subscription = subscribeToResults(redisUrl, replyTo, (reported) => {
    if (reported.result === null) listeners.notify(reported.id)
    else waiters.resolve(reported.id, readCurrent(reported))
  })
  hurry.addEventListener('abort', () => {
    for (const { resolve } of waiters.list()) resolve(undefined)
  })

  /** Results that were not announced are read from PostgreSQL, which is authoritative. */
  async function look(): Promise<void> {
    const now = performance.now()
    const due = new Map(waiters.list().flatMap(({ ref, lookFrom }) => (lookFrom <= now ? [[ref.id, ref]] : [])))
    for (const [accountId, refs] of Map.groupBy(due.values(), (ref) => ref.accountId)) {
      const found = await inTenant(db, accountId, (trx) => listCurrentResults(trx, refs))
      for (const known of found) waiters.resolve(known.id, readCurrent(known))
    }
  }

  let looking = false
  const timer = setInterval(() => {
    if (looking || waiters.isEmpty()) return
    looking = true
    void look()
      .catch((error: unknown) => log.warn({ err: error }, 'failed to read results'))
      .finally(() => (looking = false))
  }, LOOK_EVERY_MS)
  timer.unref()

  return {
    wait(ref, timeoutMs, { isAnnounced } = { isAnnounced: true }) {
      if (hurry.aborted) return Promise.resolve(undefined)
      return waiters.add(ref, { timeoutMs, lookFrom: isAnnounced ? performance.now() + LOST_AFTER_MS : 0 })
    },
    listen: listeners.add,
    readSoon: (refs) => waiters.readNow(refs),
    stop() {
      clearInterval(timer)
      subscription.stop()
    },
  }
}

/** Requests by validation: any number of requests may wait for the same one, each with its own timeout. */
function openWaiters() {
  const byId = new Map<string, Set<Waiter>>()
  return {
    isEmpty: () => byId.size === 0,
    list: () => [...byId.values()].flatMap((waiters) => [...waiters]),
    resolve(id: string, result: KnownResult): void {
      for (const waiter of [...(byId.get(id) ?? [])]) waiter.resolve(result)
    },
    readNow(refs: ValidationRef[]): void {
      for (const { id } of refs) for (const waiter of byId.get(id) ?? []) waiter.lookFrom = 0
    },
    add(ref: ValidationRef, { timeoutMs, lookFrom }: { timeoutMs: number; lookFrom: number }) {
      return new Promise<KnownResult | undefined>((resolve) => {
        const waiters = byId.get(ref.id) ?? new Set<Waiter>()
        const waiter: Waiter = {
          ref,
          lookFrom,
          resolve(result) {
            clearTimeout(timeout)
            waiters.delete(waiter)
            if (waiters.size === 0) byId.delete(ref.id)
            resolve(result)
          },
        }
        const timeout = setTimeout(() => waiter.resolve(undefined), timeoutMs)
        byId.set(ref.id, waiters.add(waiter))
      })
    },
  }
}

function openListeners() {
  const byName = new Map<string, () => void>()
  return {
    notify: (name: string) => byName.get(name)?.(),
    add: (name: string, timeoutMs: number) =>
      new Promise<boolean>((resolve) => {
        const end = (isHeard: boolean) => {
          clearTimeout(timeout)
          byName.delete(name)
          resolve(isHeard)
        }
        const timeout = setTimeout(end, timeoutMs, false).unref()
        byName.set(name, () => end(true))
      }),
  }
}

/**
 * Ends a validation whose request has timed out, refunds it and returns its result; undefined if a worker has claimed it or another request
 * still waits for it.
 */
export type Withdraw = (ref: ValidationRef, email: string) => Promise<KnownResult | undefined>

const GROUP_MAX = 200

/** In groups, like charges: while no worker runs every request ends here, and an account's balance is one row. */
export function createWithdraw(db: Db): Withdraw {
  const gather = createBatcher<{ ref: ValidationRef; email: string }, KnownResult | undefined>(
    GROUP_MAX,
    async (accountId, group) => {
      const withdrawals = group.map(({ ref, email }) => ({ ref, result: addTextFindings(notStartedResult(email)) }))
      const ended = await inTenant(db, accountId, (trx) => withdrawUnclaimed(trx, accountId, withdrawals))
      return withdrawals.map(({ ref, result }) => {
        const finished = ended.get(ref.id)
        return finished && { id: ref.id, result, retryAt: null, refunded: finished.refunded }
      })
    },
  )
  return (ref, email) => gather(ref.accountId, { ref, email })
}
