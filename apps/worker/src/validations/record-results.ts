import type { KeyObject } from 'node:crypto'
import { createBatcher } from '@probity/concurrency/scheduling'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { deferValidations } from '@probity/database/validations/deferred'
import { type ClaimedValidation, finishAtOnce } from '@probity/database/validations/queue'
import type { ValidationRef } from '@probity/database/validations/validations'
import { writeCached } from '@probity/engine/address/cached-result'
import { createRecentResults, type RecentResults } from '@probity/redis/cache'
import { recentKey } from '@probity/redis/keys'
import { publishResults, type ResultNotification } from '@probity/redis/result-notification'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'

/** A finished validation, and the API process that waits for it, if any. */
export type Done = { taken: ClaimedValidation; result: StoredResult; replyTo: string | undefined }

/** A deferred validation: the result so far, the retry time and the egress. */
export type Deferral = Done & { retryAfterMs: number; egress: string | null }

export type Settler = {
  /** Stores a result, settles its charge and notifies its client. Resolves after the commit. */
  settle(done: Done): Promise<void>
  /** Keeps a validation open for a retry and sends the result so far to the client. */
  defer(deferral: Deferral): Promise<void>
}

type Context = { db: Db; redis: Redis; recents: RecentResults; secret: KeyObject; log: Logger }

const AT_ONCE_MAX = 200

/** Settles in groups: an account's balance is one row, which allows only one transaction at a time. */
export function openSettler(needed: Omit<Context, 'recents'>): Settler {
  const context = { ...needed, recents: createRecentResults(needed.redis) }
  const gather = createBatcher<Done, undefined>(AT_ONCE_MAX, async (accountId, group) => {
    await settleGroup(context, accountId, group)
    return group.map(() => undefined)
  })
  const gatherDeferrals = createBatcher<Deferral, undefined>(AT_ONCE_MAX, async (accountId, group) => {
    await deferGroup(context, accountId, group)
    return group.map(() => undefined)
  })
  return {
    settle: (done) => gather(done.taken.ref.accountId, done),
    defer: (deferral) => gatherDeferrals(deferral.taken.ref.accountId, deferral),
  }
}

async function settleGroup(context: Context, accountId: string, group: Done[]): Promise<void> {
  const { db, redis, log } = context
  const finishes = group.map(({ taken, result }) => ({
    ref: taken.ref,
    conclusive: isDefinite(taken, result),
    result,
  }))
  const outcomes = await finishAtOnce(db, accountId, finishes)
  const written = group.filter(({ taken }) => outcomes.has(taken.ref.id))
  // A deferred result is already charged: the client collects it, so it is not stored among the recent results.
  const forAll = written.filter(({ taken }) => outcomes.get(taken.ref.id)?.owed === false)
  await publishAll(log, [
    notifyClients(redis, written, ({ id }) => ({ retryAt: null, refunded: outcomes.get(id)?.refunded ?? false })),
    keepRecent(context, forAll),
  ])
}

/** A validation without SMTP probing is complete and charged, although no mail server was probed. */
function isDefinite({ mailbox }: ClaimedValidation, { status, sub_status }: StoredResult): boolean {
  return status !== 'unknown' || (!mailbox && sub_status === 'not_probed')
}

async function deferGroup({ db, redis, log }: Context, accountId: string, group: Deferral[]): Promise<void> {
  const postponements = group.map(({ taken, result, retryAfterMs, egress }) => ({
    ref: taken.ref,
    provisional: result,
    retryAfterMs,
    egress,
  }))
  const retryAt = await inTenant(db, accountId, (trx) => deferValidations(trx, accountId, postponements))
  const written = group.filter(({ taken }) => retryAt.has(taken.ref.id))
  await publishAll(log, [
    notifyClients(redis, written, ({ id }) => ({ retryAt: retryAt.get(id) ?? null, refunded: false })),
  ])
}

/** Results are in PostgreSQL; API processes poll for them if this notification is lost. */
async function publishAll(log: Logger, told: Promise<void>[]): Promise<void> {
  try {
    await Promise.all(told)
  } catch (error) {
    log.debug({ err: error }, 'failed to publish results: redis unavailable')
  }
}

type Announced = Pick<ResultNotification, 'retryAt' | 'refunded'>

async function notifyClients(redis: Redis, group: Done[], outcomeOf: (ref: ValidationRef) => Announced): Promise<void> {
  const waited = group.filter(({ replyTo }) => replyTo !== undefined)
  const calls = [...Map.groupBy(waited, ({ replyTo }) => replyTo)].map(([replyTo = '', some]) => {
    const answers = some.map(({ taken: { ref }, result }) => {
      return { id: ref.id, result, ...outcomeOf(ref) }
    })
    return publishResults(redis, replyTo, answers)
  })
  await Promise.all(calls)
}

/** Reported outcomes can change these results, and they cost little to compute again. */
const MOVED_BY_OUTCOMES = new Set(['catch_all', 'catch_all_untested'])

/** Stores conclusive results only, and only for accounts with retention. */
async function keepRecent({ recents, secret }: Context, group: Done[]): Promise<void> {
  const results = group
    .filter(({ taken, result }) => result.status !== 'unknown' && taken.retentionDays > 0)
    .filter(({ result }) => !MOVED_BY_OUTCOMES.has(result.sub_status))
    .map(({ taken, result }) => ({
      key: recentKey(secret, taken.ref.accountId, taken.emailKey, taken),
      text: writeCached(taken.ref.id, asCached(result)),
    }))
  if (results.length > 0) await recents.save(results)
}

function asCached(result: StoredResult): StoredResult {
  return { ...result, evidence: result.evidence.map((item) => ({ ...item, source: 'cache' as const })) }
}
