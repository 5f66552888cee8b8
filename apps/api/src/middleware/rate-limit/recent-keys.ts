import type { KeyObject } from 'node:crypto'
import type { Db } from '@probity/database/connection/connect'
import { getSecret } from '@probity/database/system/processes'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import { keyWithFeatures } from '@probity/redis/cache'
import { type ResultOptions, recentKey } from '@probity/redis/keys'
import type { Features } from '../../http/validation-options.ts'

const TRY_AGAIN_AFTER_MS = 1_000

/** The account whose recent results are read, and its result options. */
type Asking = { accountId: string } & ResultOptions

export type RecentKeys = {
  /** Redis key of the account's recent result for an address or its dedupe key; undefined until the secret is loaded. */
  keyOf(account: Asking, email: string | { key: string }, features: Features): string | undefined
  stop(): void
}

/** Loads the secret in the background, so that a process can start before its database. */
export function openRecentKeys(db: Db): RecentKeys {
  let secret: KeyObject | undefined
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  async function fetchSecret(): Promise<void> {
    try {
      secret = await getSecret(db, 'recent_results')
    } catch {
      // The database is unavailable or not migrated, as /readyz reports. Until then no recent results are found, and validations still
      // work.
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
