import type { Redis } from 'ioredis'

/** Decides whether a cache may write to Redis. */
export type CacheBudget = { allows(bytes: number): Promise<boolean> }

/** Above this share of its memory Redis takes no further cache entries: the rest is for queues and rate limits, which must not fail. */
const MEMORY_SHARE_MAX = 0.5
/** How much a cache writes before it reads the memory use again, and for how long it trusts what it read. */
const ALLOWANCE_BYTES = 1024 * 1024
const READING_VALID_MS = 1_000

/**
 * Keeps a cache from filling the Redis instance that it shares with queues and rate limits, which runs without eviction. The instance
 * can grow past the share by one allowance for each cache of each process, whatever the number and the size of the entries.
 */
export function openCacheBudget(redis: Redis): CacheBudget {
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
