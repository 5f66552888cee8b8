import { randomUUID } from 'node:crypto'
import { startInterval } from '@probity/concurrency/scheduling'
import type { RequestSource } from '@probity/contract/constants/accounts'
import { type LoggedRequest, recordRequests } from '@probity/database/accounts/requests'
import { recordVerdicts, type VerdictCount } from '@probity/database/accounts/usage'
import type { Db } from '@probity/database/connection/connect'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { isPublicSandbox } from '../authentication/public-sandbox.ts'
import { isPublishable } from '../authentication/publishable-keys.ts'

/** Short, so that the request log shows a request about a second after its response. */
const REPORT_EVERY_MS = 1_000
/** Entries that a process buffers while the database is unavailable: some megabytes. */
const HELD_MAX = 10_000
/** Limit per account, so that one account cannot displace the entries of others. */
const HELD_OF_ACCOUNT_MAX = 2_000
const AT_ONCE_MAX = 1_000

/**
 * Stores requests with their responses, and counts verdicts by day. Both are buffered in memory and written in groups, so that no request
 * waits for it or fails with it. Requests beyond the buffer limit are dropped and counted; verdicts are sums and need no limit.
 */
export type RequestLog = {
  /** Number of days that requests are stored; 0 if they are not. */
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

/** The result of a request, for the request log and the usage of the account. Handlers return it with their response. */
export type LoggedResult =
  | { kind: 'single'; status: string; subStatus: string; validationId: string | null }
  /** Number of addresses by status. */
  | { kind: 'bulk'; counts: Record<string, number> }

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of the problem in the response. */
    problemCode: string | undefined
  }
  interface FastifyReply {
    /** Missing for responses without a result, such as problems and replayed responses. */
    logged: LoggedResult | undefined
  }
}

/** Header of the requests that MCP tools make to the API. No other client knows the value. */
export const INSIDE = { name: 'probity-inside', value: randomUUID() } as const

/** Adds each response to a key to the account's request log. A callback, as all hooks that run for every request. */
export function logRequests({ requestLog }: { requestLog: RequestLog }) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { auth, route } = request
    const result = reply.logged?.kind === 'single' ? reply.logged : undefined
    if (auth?.id && route.url && !isPublicSandbox(auth)) {
      requestLog.add({
        id: request.id.slice('req_'.length),
        accountId: auth.accountId,
        at: new Date(Date.now() - reply.elapsedTime),
        mode: auth.mode,
        source: sourceOf(request),
        method: request.method,
        route: route.url,
        status: reply.statusCode,
        code: request.problemCode ?? null,
        keyId: auth.id,
        durationMs: Math.round(reply.elapsedTime),
        verdict: result?.status ?? null,
        subStatus: result?.subStatus ?? null,
        credits: creditsOf(reply),
        validationId: result?.validationId ?? null,
      })
    }
    done()
  }
}

/** Counts results by status, for keys and for users. */
export function countResults({ requestLog }: { requestLog: RequestLog }) {
  return ({ auth }: FastifyRequest, { logged }: FastifyReply, done: () => void): void => {
    if (logged && auth && !isPublicSandbox(auth)) {
      const { accountId, mode } = auth
      const counts = logged.kind === 'bulk' ? Object.entries(logged.counts) : [[logged.status, 1] as const]
      for (const [status, count] of counts) requestLog.count({ accountId, mode, day: today(), status, count })
    }
    done()
  }
}

const DAY_MS = 24 * 60 * 60 * 1_000
let lastDay = { number: Number.NaN, text: '' }

/** The UTC day, written once for all requests of it. */
function today(): string {
  const number = Math.floor(Date.now() / DAY_MS)
  if (number !== lastDay.number) lastDay = { number, text: new Date(number * DAY_MS).toISOString().slice(0, 10) }
  return lastDay.text
}

function sourceOf({ headers, auth }: FastifyRequest): RequestSource {
  if (headers[INSIDE.name] === INSIDE.value) return 'mcp'
  return isPublishable(auth) ? 'page' : 'api'
}

function creditsOf(reply: FastifyReply): number | null {
  const charged = reply.getHeader('credits-charged')
  return charged === undefined ? null : Number(charged)
}
