import { hash } from 'node:crypto'
import { createLruCache } from '@probity/concurrency/lru-cache'
import { type AuthKey, findAuthKey, hashKey, listChangedKeys } from '@probity/database/accounts/keys'
import type { Db } from '@probity/database/connection/connect'

const WATCH_EVERY_MS = 300
/** Maximum age of the last check for changed keys. After that the cache is not used, so a revoked key is rejected within a second. */
const TRUST_FOR_MS = 850
/** Longer than any transaction that changes a key and GAP_MS_MAX together, so that no commit between two checks is missed. */
const WATCH_BACK_S = 10
/** After a longer time without a check, the next one may look back too little: the cache is emptied. */
const GAP_MS_MAX = 2_000
/** A plan's limits are cached with the key and change rarely. */
const KEEP_FOR_MS = 60_000
const KEYS_MAX = 10_000

type Kept = { key: AuthKey; since: number }

/**
 * Caches the keys that this process has seen, as long as it also sees their changes. Every process queries PostgreSQL for changed keys a
 * few
 * times a second. A process whose queries fail does not use its cache, and empties it after a gap of some seconds. Redis is not involved.
 */
export type ApiKeyCache = {
  /** Returns the key with this text, or undefined if there is none. Throws if the database is unavailable. */
  find(text: string): Promise<AuthKey | undefined>
  /** Like `find`, but only from the cache. */
  recall(text: string): AuthKey | undefined
  stop(): Promise<void>
}

export function openApiKeyCache(db: Db): ApiKeyCache {
  const kept = createLruCache<string, Kept>(KEYS_MAX)
  const asking = new Map<string, Promise<AuthKey | undefined>>()
  const watch = startWatch(db, {
    forget(changed) {
      for (const [name, { key }] of [...kept.entries()]) if (changed.has(key.id)) kept.delete(name)
    },
    forgetAll: () => kept.clear(),
  })

  function recall(name: string): AuthKey | undefined {
    const found = kept.get(name)
    const now = performance.now()
    return found && now < watch.trustedUntil() && now < found.since + KEEP_FOR_MS ? found.key : undefined
  }

  async function ask(name: string, keyHash: Buffer): Promise<AuthKey | undefined> {
    const since = performance.now()
    const key = await findAuthKey(db, keyHash)
    kept.delete(name)
    // A response that was on its way for longer may be from before a change that the checks have already seen.
    if (key === undefined || performance.now() - since > GAP_MS_MAX) return key
    kept.set(name, { key, since })
    return key
  }

  return {
    async find(text) {
      const name = nameOf(text)
      const known = recall(name)
      if (known) return known
      const pending = asking.get(name) ?? ask(name, hashKey(text)).finally(() => asking.delete(name))
      asking.set(name, pending)
      return pending
    },
    recall: (text) => recall(nameOf(text)),
    stop: () => watch.stop(),
  }
}

/** The hash as a string: three times as fast as a buffer. */
function nameOf(text: string): string {
  return hash('sha256', text, 'base64')
}

type Forgetting = { forget(changed: Set<string>): void; forgetAll(): void }

function startWatch(db: Db, { forget, forgetAll }: Forgetting) {
  let trustedUntil = 0
  let lookedAt = performance.now()
  let stopped = false
  let timer: NodeJS.Timeout
  let looking = Promise.resolve()

  async function look(): Promise<void> {
    const began = performance.now()
    try {
      const changed = await listChangedKeys(db, WATCH_BACK_S)
      if (performance.now() - lookedAt > GAP_MS_MAX) forgetAll()
      else forget(new Set(changed))
      lookedAt = began
      trustedUntil = began + TRUST_FOR_MS
    } catch {
      // The database is unavailable. The cache expires by itself, and requests that need a key report the same error.
    }
    if (stopped) return
    timer = setTimeout(() => {
      looking = look()
    }, WATCH_EVERY_MS)
    timer.unref()
  }

  looking = look()
  return {
    trustedUntil: () => trustedUntil,
    async stop() {
      stopped = true
      clearTimeout(timer)
      await looking
    },
  }
}
