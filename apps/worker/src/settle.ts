import type { KeyObject } from 'node:crypto'
import type { StandingResult } from '@probity/contract/standing-result'
import { type Db, inTenant } from '@probity/database/connect'
import { finishAtOnce } from '@probity/database/finish-validations'
import { postponeValidations } from '@probity/database/postponed'
import type { ValidationRef } from '@probity/database/validations'
import type { Taken } from '@probity/database/work'
import { writeCached } from '@probity/engine/address/cached-result'
import { type Answer, publishAnswers } from '@probity/queue/answers'
import { openGatherer } from '@probity/queue/gather'
import { openRecentResults, type RecentResults, recentKey } from '@probity/queue/recent'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'

/** A validation that is done, and the api process that waits for it, if one does. */
export type Done = { taken: Taken; result: StandingResult; replyTo: string | undefined }

/** What a mail server put off: the result so far, and when to ask again from where. */
export type PutOff = Done & { retryAfterMs: number; egress: string | null }

export type Settler = {
  /** Writes a result, moves its money and wakes its caller. Resolves once it is committed. */
  settle(done: Done): Promise<void>
  /** Keeps a validation open for another try and tells its caller what is known so far. */
  postpone(putOff: PutOff): Promise<void>
}

type Desk = { db: Db; redis: Redis; recents: RecentResults; secret: KeyObject; log: Logger }

const AT_ONCE_MAX = 200

/** Settles in groups: an account's balance is one row, so one transaction at a time is all it can take anyway. */
export function openSettler(needed: Omit<Desk, 'recents'>): Settler {
  const desk = { ...needed, recents: openRecentResults(needed.redis) }
  const gather = openGatherer<Done, undefined>(AT_ONCE_MAX, async (accountId, group) => {
    await settleGroup(desk, accountId, group)
    return group.map(() => undefined)
  })
  const gatherPutOff = openGatherer<PutOff, undefined>(AT_ONCE_MAX, async (accountId, group) => {
    await postponeGroup(desk, accountId, group)
    return group.map(() => undefined)
  })
  return {
    settle: (done) => gather(done.taken.ref.accountId, done),
    postpone: (putOff) => gatherPutOff(putOff.taken.ref.accountId, putOff),
  }
}

async function settleGroup(desk: Desk, accountId: string, group: Done[]): Promise<void> {
  const { db, redis, log } = desk
  const finishes = group.map(({ taken, result }) => ({
    ref: taken.ref,
    conclusive: isDefinite(taken, result),
    result,
  }))
  const outcomes = await finishAtOnce(db, accountId, finishes)
  const written = group.filter(({ taken }) => outcomes.has(taken.ref.id))
  // A result for which a client was told to come back is paid for: it is collected, not found among the recent results.
  const forAll = written.filter(({ taken }) => outcomes.get(taken.ref.id)?.owed === false)
  await tellRedis(log, [
    wakeCallers(redis, written, ({ id }) => ({ retryAt: null, refunded: outcomes.get(id)?.refunded ?? false })),
    keepRecent(desk, forAll),
  ])
}

/** Where no mail server was to be asked, that none was is no failure: what was asked for is found out, and paid for. */
function isDefinite({ mailbox }: Taken, { status, sub_status }: StandingResult): boolean {
  return status !== 'unknown' || (!mailbox && sub_status === 'not_probed')
}

async function postponeGroup({ db, redis, log }: Desk, accountId: string, group: PutOff[]): Promise<void> {
  const postponements = group.map(({ taken, result, retryAfterMs, egress }) => ({
    ref: taken.ref,
    provisional: result,
    retryAfterMs,
    egress,
  }))
  const retryAt = await inTenant(db, accountId, (trx) => postponeValidations(trx, accountId, postponements))
  const written = group.filter(({ taken }) => retryAt.has(taken.ref.id))
  await tellRedis(log, [
    wakeCallers(redis, written, ({ id }) => ({ retryAt: retryAt.get(id) ?? null, refunded: false })),
  ])
}

/** The results are in PostgreSQL, where callers look for them by themselves when nobody wakes them. */
async function tellRedis(log: Logger, told: Promise<void>[]): Promise<void> {
  try {
    await Promise.all(told)
  } catch (error) {
    log.debug({ err: error }, 'redis is away')
  }
}

type Announced = Pick<Answer, 'retryAt' | 'refunded'>

async function wakeCallers(redis: Redis, group: Done[], outcomeOf: (ref: ValidationRef) => Announced): Promise<void> {
  const waited = group.filter(({ replyTo }) => replyTo !== undefined)
  const calls = [...Map.groupBy(waited, ({ replyTo }) => replyTo)].map(([replyTo = '', some]) => {
    const answers = some.map(({ taken: { ref }, result }) => {
      return { id: ref.id, result, ...outcomeOf(ref) }
    })
    return publishAnswers(redis, replyTo, answers)
  })
  await Promise.all(calls)
}

/** What the next report of an outcome may move, and costs little to work out again. */
const MOVED_BY_OUTCOMES = new Set(['catch_all', 'catch_all_untested'])

/** Only what decided something is worth remembering, and only for accounts that keep results. */
async function keepRecent({ recents, secret }: Desk, group: Done[]): Promise<void> {
  const results = group
    .filter(({ taken, result }) => result.status !== 'unknown' && taken.retentionDays > 0)
    .filter(({ result }) => !MOVED_BY_OUTCOMES.has(result.sub_status))
    .map(({ taken, result }) => ({
      key: recentKey(secret, taken.ref.accountId, taken.emailKey, taken),
      text: writeCached(taken.ref.id, asCached(result)),
    }))
  if (results.length > 0) await recents.save(results)
}

function asCached(result: StandingResult): StandingResult {
  return { ...result, evidence: result.evidence.map((item) => ({ ...item, source: 'cache' as const })) }
}
