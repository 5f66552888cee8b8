import type { Db } from '@probity/database/connect'
import { reportEvery } from '@probity/database/report'
import { type AnsweredRequest, recordRequests } from '@probity/database/requests'
import { recordVerdicts, type VerdictCount } from '@probity/database/verdict-days'
import type { FastifyBaseLogger } from 'fastify'

/** Somebody who follows their requests sees one about as soon as it is answered. */
const REPORT_EVERY_MS = 1_000
/** What a process holds while the database is away: some megabytes. */
const HELD_MAX = 10_000
/** One account that asks very much must not push the others out. */
const HELD_OF_ACCOUNT_MAX = 2_000
const AT_ONCE_MAX = 1_000

/**
 * Keeps requests as they were answered, and counts verdicts by day. Both are held in memory and written in groups, so that no request
 * waits for it or fails with it. Requests that there is no room for are dropped and counted; verdicts are sums and take no room.
 */
export type RequestLog = {
  /** For how many days requests are kept; 0 where none are. */
  keptDays: number
  add(request: AnsweredRequest): void
  count(verdict: VerdictCount): void
  /** How many requests were dropped since the process began. */
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
        log.warn({ err: error, held: group.length }, 'requests not written down')
        for (const one of group) requests.put(one)
        break
      }
    }
    const dropped = requests.dropped()
    if (dropped > toldOf) log.warn({ dropped: dropped - toldOf }, 'requests left out of the log: there were too many')
    toldOf = dropped
  }

  async function reportVerdicts(): Promise<void> {
    if (verdicts.size === 0) return
    const reported = verdicts
    verdicts = new Map()
    try {
      await recordVerdicts(db, [...reported.values()])
    } catch (error) {
      log.warn({ err: error }, 'verdicts not counted; trying again')
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
  const reports = reportEvery(REPORT_EVERY_MS, report)

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

/** Where requests wait to be written, up to so many, and up to so many of one account. */
function openShelf() {
  let held: AnsweredRequest[] = []
  const ofAccount = new Map<string, number>()
  let dropped = 0
  return {
    put(request: AnsweredRequest): void {
      const count = ofAccount.get(request.accountId) ?? 0
      if (held.length >= HELD_MAX || count >= HELD_OF_ACCOUNT_MAX) {
        dropped += 1
        return
      }
      held.push(request)
      ofAccount.set(request.accountId, count + 1)
    },
    take(max: number): AnsweredRequest[] {
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
