import { startInterval } from '@probity/concurrency/scheduling'
import type { LastRequest } from '@probity/contract/schemas/keys'
import { type KeyUse, recordKeyUse } from '@probity/database/accounts/keys'
import type { Db } from '@probity/database/connection/connect'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { isPublicSandbox } from './public-sandbox.ts'

/** Short, because new users watch for their first request. */
const REPORT_EVERY_MS = 1_000

/** Counts requests per key in memory and writes them periodically, so that no request waits for it. */
export type KeyUseCounter = {
  count(keyId: string): void
  /** Records the request that a key was used for, after the response. */
  note(keyId: string, request: NotedRequest): void
  stop(): Promise<void>
}

/** The time is formatted only for the last request of a report. */
export type NotedRequest = Omit<LastRequest, 'occurred_at'> & { occurredAtMs: number }

type Use = { requests: number; lastUsedAt: number; last: NotedRequest | undefined }

export function openKeyUseCounter(db: Db, log: FastifyBaseLogger): KeyUseCounter {
  let uses = new Map<string, Use>()

  async function report(): Promise<void> {
    if (uses.size === 0) return
    const reported = uses
    uses = new Map()
    try {
      await recordKeyUse(
        db,
        [...reported].map(([keyId, use]) => describeUse(keyId, use)),
      )
    } catch (error) {
      // Usage counts are not billed: those that could not be written are added to the next report.
      log.warn({ err: error }, 'failed to record key use')
      for (const [keyId, { requests, lastUsedAt, last }] of reported) {
        const use = useOf(keyId)
        use.requests += requests
        use.lastUsedAt = Math.max(use.lastUsedAt, lastUsedAt)
        use.last = later(last, use.last)
      }
    }
  }

  function useOf(keyId: string): Use {
    const before = uses.get(keyId)
    if (before) return before
    const use: Use = { requests: 0, lastUsedAt: 0, last: undefined }
    uses.set(keyId, use)
    return use
  }

  const reports = startInterval(REPORT_EVERY_MS, report, {
    delayFirst: true,
    runOnStop: true,
    unref: true,
  })

  return {
    count(keyId) {
      const use = useOf(keyId)
      use.requests += 1
      use.lastUsedAt = Math.max(use.lastUsedAt, Date.now())
    },
    note(keyId, request) {
      const use = useOf(keyId)
      use.lastUsedAt = Math.max(use.lastUsedAt, request.occurredAtMs)
      use.last = later(use.last, request)
    },
    stop: reports.stop,
  }
}

function describeUse(keyId: string, { requests, lastUsedAt, last }: Use): KeyUse {
  const use = { keyId, requests, lastUsedAt: new Date(lastUsedAt) }
  if (last === undefined) return use
  const { occurredAtMs, ...request } = last
  return { ...use, lastRequest: { occurred_at: new Date(occurredAtMs).toISOString(), ...request } }
}

function later(one: NotedRequest | undefined, other: NotedRequest | undefined): NotedRequest | undefined {
  return one && (other === undefined || one.occurredAtMs > other.occurredAtMs) ? one : other
}

/** Records the use of a key by each response. A callback, as all hooks that run for every request. */
export function logKeyUse({ keyUse }: { keyUse: KeyUseCounter }) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { auth, method, route } = request
    if (auth?.id && route.url && !isPublicSandbox(auth)) {
      keyUse.note(auth.id, {
        occurredAtMs: Date.now() - reply.elapsedTime,
        method,
        route: route.url,
        http_status: reply.statusCode,
        duration_ms: Math.round(reply.elapsedTime),
        ...(reply.logged?.kind === 'single' && { result_status: reply.logged.status }),
      })
    }
    done()
  }
}
