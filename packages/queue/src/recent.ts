import { createHmac, type KeyObject } from 'node:crypto'
import type { Redis } from 'ioredis'
import { openCacheBudget } from './cache-budget.ts'

/** For how long an account's definite result answers the same question again, where the account keeps results at all. */
export const RECENT_FOR_S = 24 * 60 * 60

/** How a result was come by: with another, the same address may have another result. */
export type RecentManner = { ai: boolean; catchall: boolean; sendThreshold: number; sendExcludes: readonly string[] }

/**
 * The name of an account's recent result. Redis sees a keyed hash of the address and nothing else. The braces make Redis
 * Cluster keep an account's names on one node, where one script may use them together.
 */
export function recentKey(secret: KeyObject, accountId: string, emailKey: string, manner: RecentManner): string {
  const { ai, catchall, sendThreshold, sendExcludes } = manner
  const how = `${ai} ${catchall} ${sendThreshold} ${sendExcludes.toSorted().join()}`
  const digest = createHmac('sha256', secret).update(`${accountId}\0${emailKey}\0${how}`).digest('base64url')
  return `recent:{${accountId}}:${digest}`
}

/** Keeps a result as a ready string, so that whoever finds it need not read it. */
export type RecentResult = { key: string; text: string }

export type RecentResults = { save(results: RecentResult[]): Promise<void> }

export function openRecentResults(redis: Redis): RecentResults {
  const budget = openCacheBudget(redis)
  return {
    async save(results) {
      const pipeline = redis.pipeline()
      for (const { key, text } of results) {
        const bytes = key.length + Buffer.byteLength(text)
        if (await budget.allows(bytes)) pipeline.set(key, text, 'EX', RECENT_FOR_S)
      }
      await pipeline.exec()
    },
  }
}
