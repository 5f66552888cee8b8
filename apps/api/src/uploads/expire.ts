import type { Db } from '@probity/database/connection/connect'
import { listExpiredUploads, removeExpiredUploads } from '@probity/database/jobs/uploads'
import type { FileStorage } from '@probity/uploads/storage'

const AT_ONCE = 100
/** Limit per run; the next run continues. */
const ROUNDS_MAX = 100
/** A day more than the longest that an upload lives, which is seven once it is confirmed, so that no file goes before its row. */
const ORPHANED_AFTER_MS = 8 * 24 * 60 * 60 * 1000

/**
 * Removes uploads whose time is over: the file first and then its row, so that a run that breaks off is made good by the next.
 * Files without a row go by their age. Says how many of each there were.
 */
export async function removeExpired(db: Db, storage: FileStorage): Promise<{ uploads: number; orphans: number }> {
  let uploads = 0
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const expired = await listExpiredUploads(db, AT_ONCE)
    if (expired.length === 0) break
    await Promise.all(expired.map(({ storageKey }) => storage.remove(storageKey)))
    const ids = expired.map(({ id }) => id)
    await removeExpiredUploads(db, ids)
    uploads += ids.length
  }
  const orphans = await storage.removeOlderThan(new Date(Date.now() - ORPHANED_AFTER_MS))
  return { uploads, orphans }
}
