import type { KeyObject } from 'node:crypto'
import type { Db } from '@probity/database/connect'
import { getSecret } from '@probity/database/secrets'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import { recentKey } from '@probity/queue/recent'

const TRY_AGAIN_AFTER_MS = 1_000

export type RecentKeys = {
  /** Where the account's recent result for an address is kept; undefined while the secret behind it is not known. */
  keyOf(accountId: string, email: string): string | undefined
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
    keyOf: (accountId, email) => secret && recentKey(secret, accountId, dedupeKey(email)),
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
