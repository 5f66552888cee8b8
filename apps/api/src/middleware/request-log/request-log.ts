import { startInterval } from '@probity/concurrency/scheduling'
import { type LoggedRequest, recordRequests } from '@probity/database/accounts/requests'
import { recordVerdicts, type VerdictCount } from '@probity/database/accounts/usage'
import type { Db } from '@probity/database/connection/connect'
import type { FastifyBaseLogger } from 'fastify'

/** Short, so that the request log shows a request about a second after its response. */
const REPORT_EVERY_MS = 1_000
/** Entries that a process buffers while the database is unavailable: some megabytes. */
const HELD_MAX = 10_000
/** Limit per account, so that one account cannot displace the entries of others. */
const HELD_OF_ACCOUNT_MAX = 2_000
const AT_ONCE_MAX = 1_000

/**
 * Keeps requests as they were answered, and counts verdicts by day. Both are held in memory and written in groups, so that no request
 * waits for it or fails with it. Requests that there is no room for are dropped and counted; verdicts are sums and take no room.
 */
export type RequestLog = {
  /** For how many days requests are kept; 0 where none are. */
  keptDays: number
  add(request: LoggedRequest): void
  count(verdict: VerdictCount): void
  /** Number of entries dropped since the process started. */
  dropped(): number
  stop(): Promise<void>
}

export function openRequestLog(db: Db, log: FastifyBaseLogger, keptDays: number): RequestLog {
  const requests = openShelf()
  let verdicts = new Map<string, VerdictCount>()
  let toldOf = 0

  async function reportRequests(): Promise<void> {
    for (let round = 0; round < HELD_MAX / AT_ONCE_MAX && requests.size() > 0; round++) {
      const group = requests.take(AT_ONCE_MAX)
      try {
        await recordRequests(db, group, keptDays)
      } catch (error) {
        log.warn({ err: error, held: group.length }, 'failed to write the request log')
        for (const one of group) requests.put(one)
        break
      }
    }
    const dropped = requests.dropped()
    if (dropped > toldOf) log.warn({ dropped: dropped - toldOf }, 'dropped request log entries: too many requests')
    toldOf = dropped
  }

  async function reportVerdicts(): Promise<void> {
    if (verdicts.size === 0) return
    const reported = verdicts
    verdicts = new Map()
    try {
      await recordVerdicts(db, [...reported.values()])
    } catch (error) {
      log.warn({ err: error }, 'failed to count verdicts; retrying')
      for (const one of reported.values()) count(one)
    }
  }

  function count(verdict: VerdictCount): void {
    const { accountId, mode, day, status } = verdict
    const name = `${accountId} ${mode} ${day} ${status}`
    const before = verdicts.get(name)
    if (before) before.count += verdict.count
    else verdicts.set(name, { ...verdict })
  }

  const report = () => Promise.all([reportRequests(), reportVerdicts()]).then(() => undefined)
  const reports = startInterval(REPORT_EVERY_MS, report, {
    delayFirst: true,
    runOnStop: true,
    unref: true,
  })

  return {
    keptDays,
    add: (request) => {
      if (keptDays > 0) requests.put(request)
    },
    count,
    dropped: requests.dropped,
    stop: reports.stop,
  }
}

/** Buffer of entries to write, with a limit in total and per account. */
function openShelf() {
  let held: LoggedRequest[] = []
  const ofAccount = new Map<string, number>()
  let dropped = 0
  return {
    put(request: LoggedRequest): void {
      const count = ofAccount.get(request.accountId) ?? 0
      if (held.length >= HELD_MAX || count >= HELD_OF_ACCOUNT_MAX) {
        dropped += 1
        return
      }
      held.push(request)
      ofAccount.set(request.accountId, count + 1)
    },
    take(max: number): LoggedRequest[] {
      const taken = held.slice(0, max)
      held = held.slice(max)
      for (const { accountId } of taken) {
        const left = (ofAccount.get(accountId) ?? 1) - 1
        if (left > 0) ofAccount.set(accountId, left)
        else ofAccount.delete(accountId)
      }
      return taken
    },
    size: () => held.length,
    dropped: () => dropped,
  }
}
