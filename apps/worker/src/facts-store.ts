import { type FactsStore, openMemoryStore } from '@probity/engine/domain/facts-store'
import { openCacheBudget } from '@probity/queue/cache-budget'
import type { Redis } from 'ioredis'

/** How long a process believes its own copy: short against what a fact lives, long against how often a busy domain comes. */
const COPY_FOR_MS = 5_000

/**
 * Keeps what is known of domains in Redis, for all workers and all tenants: it is public knowledge. Copies of what was just
 * used are kept in the process, since most addresses of a moment are at a few domains.
 */
export function openFactsStore(redis: Redis, prefix: string): FactsStore {
  const copies = openMemoryStore()
  const budget = openCacheBudget(redis)
  return {
    async get(domain) {
      const copy = await copies.get(domain)
      if (copy !== undefined) return copy
      const text = (await redis.get(`${prefix}:${domain}`)) ?? undefined
      if (text !== undefined) await copies.set(domain, text, COPY_FOR_MS)
      return text
    },
    async set(domain, text, ttlMs) {
      await copies.set(domain, text, Math.min(ttlMs, COPY_FOR_MS))
      const key = `${prefix}:${domain}`
      if (await budget.allows(key.length + Buffer.byteLength(text))) await redis.set(key, text, 'PX', ttlMs)
    },
  }
}
