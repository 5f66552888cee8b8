import type { Erasure, ErasureCounts } from '@probity/contract/schemas/accounts'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { eraseResults } from '@probity/database/jobs/results/erase-results'
import {
  type Erasing,
  eraseByKey,
  eraseEvents,
  eraseIdempotencyRecords,
  eraseValidations,
  recordErasure,
} from '@probity/database/system/erase-address'
import { openAddressMatcher } from '@probity/engine/address/find-mention'
import type { FileStorage } from '@probity/uploads/storage'
import type { Redis } from 'ioredis'
import { Problem } from '../../http/problem.ts'
import { storable } from '../../http/storable.ts'
import type { RecentKeys } from '../../middleware/rate-limit/recent-keys.ts'
import { eraseRecentResults } from './recent.ts'
import type { UploadSearch } from './uploads.ts'
import { eraseDrafts, eraseFiles, type FileWork, refuseUnfinished } from './uploads.ts'

type EraseDependencies = {
  db: Db
  redis: Redis
  recentKeyOf: RecentKeys['keyOf']
  storage: FileStorage
  uploadReader: UploadSearch
  hurry: AbortSignal
}

/** Below the time limit of the route, so that the response says what to do. */
const TIME_MAX_MS = 120_000
/** Erasures of one process at once. Each uses one database connection and one thread that reads files. */
const AT_ONCE_MAX = 3
const RETRY_AFTER_S = 5

/** Erases addresses, one at a time for each account. */
export type Eraser = (accountId: string, email: string) => Promise<Erasure>

export function openEraser(services: EraseDependencies, timeMaxMs = TIME_MAX_MS): Eraser {
  const running = new Set<string>()
  return async (accountId, email) => {
    if (running.has(accountId) || running.size >= AT_ONCE_MAX) {
      throw new Problem('overloaded', undefined, { retryAfterS: RETRY_AFTER_S })
    }
    running.add(accountId)
    const signal = AbortSignal.any([AbortSignal.timeout(timeMaxMs), services.hurry])
    try {
      return await eraseAddress(services, { accountId, email: storable(email), signal })
    } catch (error) {
      throw signal.aborted ? notComplete() : error
    } finally {
      running.delete(accountId)
    }
  }
}

/** Completed parts stay erased, and a repetition finds less to do. */
function notComplete(): Problem {
  const detail = 'The erasure is not complete. Send the request again to continue it.'
  return new Problem('service_unavailable', detail, { retryAfterS: RETRY_AFTER_S })
}

type Wanted = { accountId: string; email: string; signal: AbortSignal }

/**
 * Searches first, so that an address in a running job is a problem before anything is deleted. Each step is a series of short transactions, and each can be
 * repeated: what an interrupted erasure has not reached is erased by the next.
 */
async function eraseAddress(services: EraseDependencies, { accountId, email, signal }: Wanted): Promise<Erasure> {
  const { db, storage, uploadReader } = services
  const erasing: Erasing = { db, accountId, address: openAddressMatcher(email), signal }
  const work: FileWork = { erasing, email, storage, uploadReader }
  await refuseUnfinished(work)
  const uploads = await eraseDrafts(work)
  const jobs = await eraseResults(db, accountId, erasing.address, signal)
  const found = {
    uploads,
    job_results: jobs.results,
    job_batches: jobs.batches,
    upload_rows: await eraseFiles(work),
    validations: await eraseValidations(erasing),
    idempotency_records: await eraseIdempotencyRecords(erasing),
    webhook_events: await eraseEvents(erasing),
    recent_results: await eraseRecentResults(services, erasing),
  }
  const counts: ErasureCounts = await inTenant(db, accountId, async (trx) => {
    const all = { ...found, ...(await eraseByKey(trx, accountId, erasing.address)) }
    await recordErasure(trx, all)
    return all
  })
  return { erased_at: new Date().toISOString(), counts }
}
