import type { KeyObject } from 'node:crypto'
import type { Db } from '@probity/database/connection/connect'
import { getSecret } from '@probity/database/system/processes'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import { keyWithFeatures } from '@probity/redis/cache'
import { type ResultOptions, recentKey } from '@probity/redis/keys'
import type { Features } from '../../http/validation-options.ts'

const TRY_AGAIN_AFTER_MS = 1_000

/** Whose results are looked for, and what they would send to. */
type Asking = { accountId: string } & ResultOptions

export type RecentKeys = {
  /** Where the account's recent result for an address, or for its dedupe key, is kept; undefined while the secret behind it is not known. */
  keyOf(account: Asking, email: string | { key: string }, features: Features): string | undefined
  stop(): void
}

/** Fetches the secret in the background: a process that starts before its database is still one that starts. */
export function openRecentKeys(db: Db): RecentKeys {
  let secret: KeyObject | undefined
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  async function fetchSecret(): Promise<void> {
    try {
      secret = await getSecret(db, 'recent_results')
    } catch {
      // The database is away or not migrated, as /readyz says. Until it is there nothing recent is found, and all still works.
      if (stopped) return
      timer = setTimeout(() => void fetchSecret(), TRY_AGAIN_AFTER_MS)
      timer.unref()
    }
  }

  void fetchSecret()
  return {
    keyOf(account, email, features) {
      const { sendThreshold, excludedTraits } = account
      const [ai, catchall] = [account.ai && features.ai, account.catchall && features.catchall]
      const key = typeof email === 'string' ? dedupeKey(email) : email.key
      const manner = { ai, catchall, sendThreshold, excludedTraits }
      return secret && recentKey(secret, account.accountId, keyWithFeatures(key, features), manner)
    },
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
