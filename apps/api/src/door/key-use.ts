import type { Db } from '@probity/database/connect'
import { type KeyUse, recordKeyUse } from '@probity/database/keys'
import type { FastifyBaseLogger } from 'fastify'

const REPORT_EVERY_MS = 2_000

/** Counts requests per key in memory and reports them now and then, so that no request waits for it. */
export type KeyUseCounter = { count(keyId: string): void; stop(): Promise<void> }

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

  function add({ keyId, requests, lastUsedAt }: KeyUse): void {
    const before = uses.get(keyId)
    const latest = before && before.lastUsedAt > lastUsedAt ? before.lastUsedAt : lastUsedAt
    uses.set(keyId, { keyId, requests: (before?.requests ?? 0) + requests, lastUsedAt: latest })
  }

  let reporting = Promise.resolve()
  const timer = setInterval(() => {
    reporting = reporting.then(report)
  }, REPORT_EVERY_MS)
  timer.unref()

  return {
    count: (keyId) => add({ keyId, requests: 1, lastUsedAt: new Date() }),
    async stop() {
      clearInterval(timer)
      await reporting
      await report()
    },
  }
}
