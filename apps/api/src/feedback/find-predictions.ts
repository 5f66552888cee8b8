import { type Db, inTenant } from '@probity/database/connection/connect'
import { type KeptPrediction, listJobPredictions, listPredictionsById } from '@probity/database/feedback/calibration'
import type { Prediction } from '@probity/database/feedback/outcome-sums'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import type { Redis } from 'ioredis'
import { ALL_FEATURES } from '../http/validation-options.ts'
import type { Auth } from '../middleware/authentication/auth.ts'
import type { RecentKeys } from '../middleware/rate-limit/recent-keys.ts'
import type { SortedOutcome } from './sort-outcomes.ts'

type Where = { db: Db; redis: Redis; recentKeyOf: RecentKeys['keyOf'] }

/**
 * What we had said of the addresses of a report, by their keys: under the id that it names, in the job that it names, or among the
 * account's recent results. What is another's, or has left, is not there.
 */
export async function findPredictions(
  services: Where,
  auth: Auth,
  { outcomes, jobId }: { outcomes: SortedOutcome[]; jobId: string | undefined },
): Promise<Map<string, Prediction>> {
  const found = await inTenant(services.db, auth.accountId, async (trx) => {
    const named = outcomes.filter(({ id }) => id !== undefined)
    const byId = await listPredictionsById(
      trx,
      auth.accountId,
      named.map(({ id }) => id as string),
    )
    const keys = outcomes.flatMap(({ email, emailKey }) => [email, emailKey])
    const ofJob = jobId === undefined ? [] : await listJobPredictions(trx, auth.accountId, { jobId, emails: keys })
    const predictions = new Map<string, Prediction>()
    const keyOf = new Map(outcomes.flatMap(({ email, emailKey }) => [email, emailKey].map((name) => [name, emailKey])))
    for (const { email, ...kept } of ofJob) {
      // A job may have 10,000 of these, and to work a key out takes long where the domain is internationalized.
      keep(predictions, keyOf.get(email) ?? keyOf.get(email.toLowerCase()) ?? dedupeKey(email), kept)
    }
    for (const { id, emailKey } of named) {
      const kept = byId.get(id as string)
      // An id that belongs to another address was mistaken for this one's.
      if (kept?.emailKey === emailKey) keep(predictions, emailKey, kept)
    }
    return predictions
  })
  await addRecent(services, auth, { outcomes: outcomes.filter(({ emailKey }) => !found.has(emailKey)), found })
  return found
}

const RECENT_AT_ONCE = 500
/** As most are asked for. */

type Lacking = { outcomes: SortedOutcome[]; found: Map<string, Prediction> }

async function addRecent({ redis, recentKeyOf }: Where, auth: Auth, { outcomes, found }: Lacking): Promise<void> {
  if (auth.retentionDays === 0) return
  try {
    for (let from = 0; from < outcomes.length; from += RECENT_AT_ONCE) {
      const some = outcomes.slice(from, from + RECENT_AT_ONCE)
      const names = some.map(({ emailKey }) => recentKeyOf(auth, { key: emailKey }, ALL_FEATURES))
      if (names.includes(undefined)) return
      const texts = await redis.mget(names as string[])
      for (const [n, text] of texts.entries()) {
        if (text !== null) keep(found, some[n]?.emailKey ?? '', readRecent(text))
      }
    }
  } catch {
    // Redis is away: the outcomes count for their domains all the same.
  }
}

function readRecent(text: string): KeptPrediction {
  const { deliverability, status, sub_status, details } = JSON.parse(text)
  return { p: deliverability ?? null, status, subStatus: sub_status, provider: details?.provider ?? null }
}

const DECIDED = new Set(['valid', 'invalid'])

function keep(predictions: Map<string, Prediction>, emailKey: string, kept: KeptPrediction): void {
  const { p, status, subStatus, provider } = kept
  if (p === null || status === null || subStatus === null || provider === null) return
  predictions.set(emailKey, { p, subStatus, provider, isDecided: DECIDED.has(status) })
}
