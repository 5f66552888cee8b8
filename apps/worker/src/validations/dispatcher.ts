import { setTimeout as sleep } from 'node:timers/promises'
import { startInterval } from '@probity/concurrency/scheduling'
import { pendingResult } from '@probity/contract/schemas/validations/stored-result'
import { inTenant } from '@probity/database/connection/connect'
import { listOverdue, listWaiting } from '@probity/database/validations/queue'
import { finishValidation } from '@probity/database/validations/validations'
import type { Ref } from '@probity/redis/task-queues'
import { Client } from 'pg'
import type { Services } from '../server/services.ts'

const POLL_EVERY_MS = 1_000
/** Tasks that the queue has not delivered by then count as lost. */
const LOST_AFTER_MS = 2_000
const AT_ONCE_MAX = 100
const LISTEN_AGAIN_AFTER_MS = 500
const LISTEN_TIMEOUT_MS = 2_000
const LISTEN_PING_EVERY_MS = 10_000

/** A worker that yields work passes waiting validations to others. */
type Executors = { work(task: Task): Promise<void>; handOver(task: Task): Promise<void>; isYielding(): boolean }
type Task = { refs: Ref[] }

/**
 * Finds open, unclaimed validations: those that the queue lost, by polling, and all of them at once when the API notifies workers through
 * PostgreSQL because Redis is unavailable.
 */
export function startValidationDispatcher(
  services: Pick<Services, 'db' | 'log' | 'egresses'>,
  directUrl: string,
  executors: Executors,
) {
  const { db, log, egresses } = services
  const { work, handOver, isYielding } = executors
  let stopped = false
  let looking: Promise<void> | undefined
  let calledMeanwhile = false

  async function look(olderThanMs: number): Promise<void> {
    for (let more = true; more && !stopped; ) {
      const isOthers = isYielding()
      const refs = await listWaiting(db, { olderThanMs, limit: AT_ONCE_MAX, egresses: isOthers ? [] : egresses })
      if (refs.length > 0) await (isOthers ? handOver : work)({ refs })
      // Dispatched validations stay open until a worker claims them and would be found again immediately.
      more = refs.length === AT_ONCE_MAX && !isOthers
    }
  }

  function lookOnce(olderThanMs: number): void {
    if (looking) {
      calledMeanwhile ||= olderThanMs === 0
      return
    }
    looking = look(olderThanMs)
      .catch((error: unknown) => log.warn({ err: error }, 'failed to look for waiting validations'))
      .finally(() => {
        looking = undefined
        if (calledMeanwhile && !stopped) {
          calledMeanwhile = false
          lookOnce(0)
        }
      })
  }

  const timer = setInterval(() => lookOnce(LOST_AFTER_MS), POLL_EVERY_MS)
  const ear = startListening(directUrl, () => lookOnce(0))
  return {
    async stop() {
      stopped = true
      clearInterval(timer)
      await ear.stop()
      await looking
    },
  }
}

/** LISTEN needs a direct connection; a transaction-mode pooler would lose notifications. Polling continues without it. */
function startListening(directUrl: string, hear: () => void) {
  const stopping = new AbortController()
  const listening = (async () => {
    while (!stopping.signal.aborted) {
      await listenOnce(directUrl, hear, stopping.signal)
      await sleep(LISTEN_AGAIN_AFTER_MS, undefined, { signal: stopping.signal }).catch(() => {}) // it was stopped
    }
  })()
  return {
    async stop() {
      stopping.abort()
      await listening
    },
  }
}

/** Listens until the connection is lost or `stop` fires. Leaves no connection open. */
async function listenOnce(directUrl: string, hear: () => void, stop: AbortSignal): Promise<void> {
  const client = new Client({
    connectionString: directUrl,
    application_name: 'probity-worker-listen',
    connectionTimeoutMillis: LISTEN_TIMEOUT_MS,
    query_timeout: LISTEN_TIMEOUT_MS,
  })
  const ended = new AbortController()
  client.on('notification', hear)
  client.on('error', () => {}) // `end` follows
  client.on('end', () => ended.abort())
  const signal = AbortSignal.any([stop, ended.signal])
  try {
    await client.connect()
    await client.query('listen validations')
    // A server that has gone silent closes no connection, and a client that only listens sends nothing.
    while (!signal.aborted) {
      await sleep(LISTEN_PING_EVERY_MS, undefined, { signal })
      await client.query('select 1')
    }
  } catch {
    // The server is down, silent or read-only, or the connection has ended.
  } finally {
    // A silent server does not respond to the end either.
    await Promise.race([client.end(), sleep(LISTEN_TIMEOUT_MS, undefined, { ref: false })])
    client.connection.stream.destroy()
  }
}

const OVERDUE_EVERY_MS = 60_000
const OVERDUE_MAX = 100

/** Ends validations that have been open for a day. Their result is unknown, and the refund rule decides on the credit. */
export async function endOverdue({ db }: Pick<Services, 'db'>): Promise<number> {
  const overdue = await listOverdue(db, OVERDUE_MAX)
  for (const { email, ...ref } of overdue) {
    const ending = { conclusive: false, result: pendingResult(email, 'timeout') }
    await inTenant(db, ref.accountId, (trx) => finishValidation(trx, ref, ending))
  }
  return overdue.length
}

/** Runs once a minute. Any number of workers can run it. */
export function startEndingOverdue(services: Pick<Services, 'db' | 'log'>) {
  const run = async () => {
    const ended = await endOverdue(services)
    if (ended > 0) services.log.warn({ ended }, 'ended validations that were open for a day')
  }
  return startInterval(OVERDUE_EVERY_MS, run, {
    delayFirst: true,
    onError: (error) => services.log.warn({ err: error }, 'failed to look for overdue validations'),
  })
}
