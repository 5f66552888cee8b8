import type { LastRequest } from '@probity/contract/last-request'
import type { Db } from '@probity/database/connect'
import { type KeyUse, recordKeyUse } from '@probity/database/keys'
import { reportEvery } from '@probity/database/report'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { isPublicCaller } from './public-sandbox.ts'

/** Somebody who tries their first request watches for it. */
const REPORT_EVERY_MS = 1_000

/** Counts requests per key in memory and reports them now and then, so that no request waits for it. */
export type KeyUseCounter = {
  count(keyId: string): void
  /** Notes what a key was used for, once that is answered. */
  note(keyId: string, request: LastRequest): void
  stop(): Promise<void>
}

export function openKeyUseCounter(db: Db, log: FastifyBaseLogger): KeyUseCounter {
  let uses = new Map<string, KeyUse>()

  async function report(): Promise<void> {
    if (uses.size === 0) return
    const reported = uses
    uses = new Map()
    try {
      await recordKeyUse(db, [...reported.values()])
    } catch (error) {
      // Not money: what the database could not take now is added to the next report.
      log.warn({ err: error }, 'key use not recorded')
      for (const use of reported.values()) add(use)
    }
  }

  function add({ keyId, requests, lastUsedAt, lastRequest }: KeyUse): void {
    const before = uses.get(keyId)
    const latest = before && before.lastUsedAt > lastUsedAt ? before.lastUsedAt : lastUsedAt
    const total = (before?.requests ?? 0) + requests
    uses.set(keyId, {
      keyId,
      requests: total,
      lastUsedAt: latest,
      lastRequest: later(before?.lastRequest, lastRequest),
    })
  }

  const reports = reportEvery(REPORT_EVERY_MS, report)

  return {
    count: (keyId) => add({ keyId, requests: 1, lastUsedAt: new Date() }),
    note: (keyId, lastRequest) => add({ keyId, requests: 0, lastUsedAt: new Date(lastRequest.at), lastRequest }),
    stop: reports.stop,
  }
}

function later(one: LastRequest | undefined, other: LastRequest | undefined): LastRequest | undefined {
  return one && (other === undefined || one.at > other.at) ? one : other
}

/** Notes each answer with its key. As a callback, like all that runs for every request. */
export function noteAnswers({ keyUse }: { keyUse: KeyUseCounter }) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { caller, method, routeOptions, verdict } = request
    if (caller?.id && routeOptions.url && !isPublicCaller(caller)) {
      keyUse.note(caller.id, {
        at: new Date(Date.now() - reply.elapsedTime).toISOString(),
        method,
        route: routeOptions.url,
        status: reply.statusCode,
        duration_ms: Math.round(reply.elapsedTime),
        ...(verdict !== undefined && { verdict }),
      })
    }
    done()
  }
}
