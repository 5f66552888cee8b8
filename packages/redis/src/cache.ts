import { type FactsStore, openMemoryStore } from '@probity/engine/domain/facts'
import type { Redis } from 'ioredis'

/** Decides whether a cache may write to Redis. */
export type CacheBudget = { allows(bytes: number): Promise<boolean> }

/** Above this share of its memory, caches do not write to Redis: queues and rate limits need the rest and must not fail. */
const MEMORY_SHARE_MAX = 0.5
/** How much a cache writes before it reads the memory use again, and how long a reading is valid. */
const ALLOWANCE_BYTES = 1024 * 1024
const READING_VALID_MS = 1_000

/**
 * Keeps a cache from filling the Redis instance that it shares with queues and rate limits, which runs without eviction. The instance
 * can grow past the share by one allowance for each cache of each process, whatever the number and the size of the entries.
 */
export function createCacheBudget(redis: Redis): CacheBudget {
  let isFull = false
  let allowedBytes = 0
  let readAt = Number.NEGATIVE_INFINITY
  return {
    async allows(bytes) {
      const isStale = performance.now() - readAt > READING_VALID_MS
      if (isStale || (!isFull && bytes > allowedBytes)) {
        isFull = !hasRoom(await redis.info('memory'))
        allowedBytes = isFull ? 0 : ALLOWANCE_BYTES
        readAt = performance.now()
      }
      if (bytes > allowedBytes) return false
      allowedBytes -= bytes
      return true
    },
  }
}

/** A server without `maxmemory` is limited by the memory of its machine. */
function hasRoom(info: string): boolean {
  const field = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0)
  const memoryBytes = field('maxmemory') || field('total_system_memory')
  return field('used_memory') < memoryBytes * MEMORY_SHARE_MAX
}

/** How long a conclusive result is reused for the same request of the account, if the account stores results at all. */
export const RECENT_FOR_S = 24 * 60 * 60

/** The recent results of these keys in order; null if there is none or it is older than `maxAgeS` seconds. */
export async function readRecentResults(redis: Redis, keys: string[], maxAgeS?: number): Promise<(string | null)[]> {
  if (maxAgeS === undefined) return redis.mget(keys)
  // Stored for RECENT_FOR_S from the time of the validation, so the remaining lifetime tells the age.
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
export type RequestedFeatures = { ai: boolean; catchall: boolean; mailbox: boolean }

/** The key of an address with the features of the request: results with other features are other results. */
export function keyWithFeatures(emailKey: string, { ai, catchall, mailbox }: RequestedFeatures): string {
  return `${emailKey}${ai ? '' : ' ai=false'}${catchall ? '' : ' catchall=false'}${mailbox ? '' : ' mailbox=false'}`
}

/** `text` is serialized, so that a reader can send it without parsing it. */
export type RecentResult = { key: string; text: string }

export type RecentResults = { save(results: RecentResult[]): Promise<void> }

export function createRecentResults(redis: Redis): RecentResults {
  const budget = createCacheBudget(redis)
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

/**
 * Lifetime of the copies in a process: short compared with the lifetime of a fact, long compared with the interval of requests for a busy
 * domain.
 */
const COPY_FOR_MS = 5_000

/**
 * Stores facts of domains and mail servers in Redis, for all workers and all accounts: they are public. Each process keeps copies of those
 * in use, because most addresses of a moment have the same few domains.
 */
export function createFactsStore(redis: Redis, keyOf: (name: string) => string): FactsStore {
  const copies = openMemoryStore()
  const budget = createCacheBudget(redis)
  return {
    async get(name) {
      const copy = await copies.get(name)
      if (copy !== undefined) return copy
      const text = (await redis.get(keyOf(name))) ?? undefined
      if (text !== undefined) await copies.set(name, text, COPY_FOR_MS)
      return text
    },
    async set(name, text, ttlMs) {
      await copies.set(name, text, Math.min(ttlMs, COPY_FOR_MS))
      const key = keyOf(name)
      if (await budget.allows(key.length + Buffer.byteLength(text))) await redis.set(key, text, 'PX', ttlMs)
    },
  }
}
