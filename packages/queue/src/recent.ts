import { createHmac, type KeyObject } from 'node:crypto'
import type { Redis } from 'ioredis'
import { openCacheBudget } from './cache-budget.ts'

/** For how long an account's definite result answers the same question again, where the account keeps results at all. */
export const RECENT_FOR_S = 24 * 60 * 60

/** How a result was come by: with another, the same address may have another result. */
export type RecentManner = { ai: boolean; catchall: boolean; sendThreshold: number; excludedTraits: readonly string[] }

/**
 * The name of an account's recent result. Redis sees a keyed hash of the address and nothing else. The braces make Redis
 * Cluster keep an account's names on one node, where one script may use them together.
 */
export function recentKey(secret: KeyObject, accountId: string, emailKey: string, manner: RecentManner): string {
  const { ai, catchall, sendThreshold, excludedTraits } = manner
  const how = `${ai} ${catchall} ${sendThreshold} ${excludedTraits.toSorted().join()}`
  const digest = createHmac('sha256', secret).update(`${accountId}\0${emailKey}\0${how}`).digest('base64url')
  return `recent:{${accountId}}:${digest}`
}

/** The recent results of these names in their order, null where there is none or it is older than `maxAgeS` seconds. */
export async function readRecents(redis: Redis, keys: string[], maxAgeS?: number): Promise<(string | null)[]> {
  if (maxAgeS === undefined) return redis.mget(keys)
  // Stored for RECENT_FOR_S when it was found, so the time left is its age.
  const storedForMs = (RECENT_FOR_S - maxAgeS) * 1_000
  const pipeline = redis.pipeline().mget(keys)
  for (const key of keys) pipeline.pttl(key)
  const replies = (await pipeline.exec()) ?? []
  const [texts = [], ...left] = replies.map(([error, value]) => {
    if (error) throw error
    return value
  }) as [(string | null)[], ...number[]]
  return texts.map((text, n) => ((left[n] ?? 0) >= storedForMs ? text : null))
}

/** The features that a request allows. */
export type AskedFeatures = { ai: boolean; catchall: boolean; mailbox: boolean }

/** The key of an address with the features of the request: results with other features are other results. */
export function keyWithFeatures(emailKey: string, { ai, catchall, mailbox }: AskedFeatures): string {
  return `${emailKey}${ai ? '' : ' ai=false'}${catchall ? '' : ' catchall=false'}${mailbox ? '' : ' mailbox=false'}`
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
