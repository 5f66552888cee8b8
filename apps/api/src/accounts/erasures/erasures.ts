import { Erasure, type ErasureCounts, ErasureRequest } from '@probity/contract/schemas/accounts'
import { listSendSettings } from '@probity/database/accounts/accounts'
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
import { openAddressMatcher } from '@probity/engine/address/match-address'
import { RECENT_FOR_S } from '@probity/redis/cache'
import { sandboxKey } from '@probity/redis/keys'
import type { FileStorage } from '@probity/uploads/storage'
import type { Redis } from 'ioredis'
import { BODY_PROBLEMS, MIDDLEWARE_PROBLEMS, operation } from '../../http/openapi.ts'
import { Problem } from '../../http/problem.ts'
import type { Route } from '../../http/route.ts'
import { storable } from '../../http/text.ts'
import { refuseTestKey } from '../../middleware/authentication/authenticate.ts'
import { READS_FILE_MS } from '../../middleware/load-shedding/time-limits.ts'
import type { RecentKeys } from '../../middleware/rate-limit/recent-keys.ts'
import { eraseDrafts, eraseFiles, type FileWork, refuseUnfinished, type UploadSearch } from './uploads.ts'

type Needed = { redis: Redis; recentKeyOf: RecentKeys['keyOf'] }

const BOTH = [true, false] as const
const RECENT_RETRY_AFTER_S = 5

/**
 * Deletes the recent results of an address, and the notes of its first requests in test mode. Their Redis keys are hashes of the address,
 * the
 * options of the request and the settings of the account, so every combination that was possible within the last day is tried.
 */
export async function eraseRecentResults({ redis, recentKeyOf }: Needed, erasing: Erasing): Promise<number> {
  const { db, accountId, address } = erasing
  const settings = await inTenant(db, accountId, (trx) => listSendSettings(trx, accountId, RECENT_FOR_S))
  const keys = new Set<string>()
  for (const { sendThreshold, excludedTraits } of settings) {
    for (const [ai, catchall, mailbox] of combinations()) {
      for (const [planAi, planCatchall] of combinations()) {
        const account = { accountId, ai: planAi, catchall: planCatchall, sendThreshold, excludedTraits }
        const key = recentKeyOf(account, { key: address.key }, { ai, catchall, mailbox })
        // The secret for the key names is not loaded yet: the process has just started.
        if (key === undefined) throw unavailable()
        keys.add(key)
        keys.add(sandboxKey(key))
      }
    }
  }
  try {
    return await redis.unlink([...keys])
  } catch {
    throw unavailable()
  }
}

function combinations(): [boolean, boolean, boolean][] {
  return BOTH.flatMap((a) => BOTH.flatMap((b) => BOTH.map((c): [boolean, boolean, boolean] => [a, b, c])))
}

function unavailable(): Problem {
  return new Problem('service_unavailable', undefined, { retryAfterS: RECENT_RETRY_AFTER_S })
}

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
 * Searches first, so that an address in a running job is a problem before anything is deleted. Each step is a series of short transactions
 * and
 * can be repeated: the next erasure completes an interrupted one.
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

type ErasuresDependencies = {
  db: Db
  redis: Redis
  recentKeyOf: RecentKeys['keyOf']
  storage: FileStorage
  uploadReader: UploadSearch
  hurry: AbortSignal
}

/** Deletes everything that the account stores about one address. */
export const createErasure: Route<ErasuresDependencies> = async (app, services) => {
  const erase = openEraser(services)
  const schema = operation(
    {
      id: 'createErasure',
      tag: 'Erasures',
      summary: 'Erase an address',
      description:
        'Deletes everything that the account stores about one address, of live and test mode: validations, job results, rows of stored files, uploads that were not confirmed, recent results, stored responses to requests with an `Idempotency-Key`, feedback, overrides and webhook events. Job results keep their row and verdict, so counts do not change, and neither do ledger and usage. If a job that has not ended contains the address, nothing is deleted and the response is 409 `job_in_progress`. The audit log records the erasure without the address. A repetition is safe: it returns zeros, or continues an erasure that was interrupted. Requires a live key.',
      problems: ['invalid_request', 'job_in_progress', ...BODY_PROBLEMS, ...MIDDLEWARE_PROBLEMS],
    },
    { body: ErasureRequest, response: { 200: Erasure } },
  )
  const config = { scope: 'account:write', loadClass: 'list', handlerTimeoutMs: READS_FILE_MS } as const
  app.post('/erasures', { schema, config }, ({ auth, body }) => {
    refuseTestKey(auth)
    return erase(auth.accountId, body.email)
  })
}
