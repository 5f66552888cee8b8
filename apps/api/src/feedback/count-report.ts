import { DELIVERY_WEIGHT_MAX } from '@probity/contract/constants/limits'
import type { FeedbackSummary } from '@probity/contract/schemas/feedback'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { type KeptPrediction, listJobPredictions, listPredictionsById } from '@probity/database/feedback/calibration'
import type { Prediction } from '@probity/database/feedback/outcome-sums'
import { countOutcomes, type Outcome } from '@probity/database/feedback/outcomes'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import type { Redis } from 'ioredis'
import { invalidField } from '../http/problem.ts'
import { ALL_FEATURES } from '../http/validation-options.ts'
import type { Auth } from '../middleware/authentication/auth.ts'
import type { RecentKeys } from '../middleware/rate-limit/recent-keys.ts'
import type { ReportReading } from './read-feedback.ts'
import type { SortedOutcome, SortedReport } from './sort-outcomes.ts'

type Where = { db: Db; redis: Redis; recentKeyOf: RecentKeys['keyOf'] }

/**
 * Finds the stored predictions for the addresses of a report, by dedupe key: under the id or the job that the report names, or among the
 * account's recent results. Predictions of other accounts and expired ones are not found.
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
      // A job may have 10,000 of these, and computing a key is slow for internationalized domains.
      keep(predictions, keyOf.get(email) ?? keyOf.get(email.toLowerCase()) ?? dedupeKey(email), kept)
    }
    for (const { id, emailKey } of named) {
      const kept = byId.get(id as string)
      // Ignores ids that belong to another address.
      if (kept?.emailKey === emailKey) keep(predictions, emailKey, kept)
    }
    return predictions
  })
  await addRecent(services, auth, { outcomes: outcomes.filter(({ emailKey }) => !found.has(emailKey)), found })
  return found
}

const RECENT_AT_ONCE = 500

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
    // Redis is unavailable: the outcomes still count for their domains.
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

/** Counts of a report: delivered addresses, bounced addresses of any kind, and the total. */
type SentMessage = { deliveredCount: number; bouncedCount: number; sentTotal: number | undefined }

/**
 * The weight of a reported delivery. Nearly all bounces are reported, but many deliveries are not: equal weights would underestimate
 * every domain.
 */
export function deliveryWeight({ deliveredCount, bouncedCount, sentTotal }: SentMessage): number {
  if (sentTotal === undefined || deliveredCount === 0) return 1
  return Math.min(Math.max((sentTotal - bouncedCount) / deliveredCount, 1), DELIVERY_WEIGHT_MAX)
}

/** Whether a report contains only the number of deliveries. */
export function isTotalOnly({ deliveredCount, sentTotal }: SentMessage): boolean {
  return sentTotal !== undefined && deliveredCount === 0
}

/** Upper bound on p, so that one bounce cannot absorb nearly all deliveries. */
const P_MAX = 0.999

/**
 * Distributes deliveries that are known only as a total over the classes of the bounces, by the odds of each address. Classes keep their
 * predicted distance and move together towards the total.
 */
export function shareDeliveries(bounces: Prediction[], { bouncedCount, sentTotal = 0 }: SentMessage): number[] {
  // Bounces without a prediction get their share of the deliveries, too.
  const deliveries = ((sentTotal - bouncedCount) * bounces.length) / bouncedCount
  const odds = bounces.map(({ p }) => p / (1 - Math.min(p, P_MAX)))
  const whole = odds.reduce((sum, one) => sum + one, 0)
  return odds.map((one) => (whole > 0 ? (deliveries * one) / whole : deliveries / bounces.length))
}

type CountReportDependencies = {
  db: Db
  redis: Redis
  recentKeyOf: RecentKeys['keyOf']
}

/** Counts the outcomes of a report that were not counted before. In test mode the report is read and nothing is stored. */
export async function countReport(
  services: CountReportDependencies,
  auth: Auth,
  { report, received, sorted }: ReportReading,
): Promise<FeedbackSummary> {
  const isLive = auth.mode === 'live'
  const sent = readSent(sorted, report.sent_total)
  const predictions = isLive
    ? await findPredictions(services, auth, { outcomes: sorted.outcomes, jobId: report.job_id })
    : new Map<string, Prediction>()
  const outcomes = isTotalOnly(sent) ? besideTotal(sorted, predictions, sent) : weigh(sorted, predictions, sent)
  const counted = isLive
    ? await inTenant(services.db, auth.accountId, (trx) =>
        countOutcomes(trx, auth.accountId, { sentOn: report.sent_on, outcomes }),
      )
    : { ...tally(outcomes), duplicate: 0 }
  return {
    received,
    counted: { delivered: counted.delivered, bounced: counted.bounced },
    not_counted: {
      duplicate: sorted.left.duplicate + counted.duplicate,
      not_a_mailbox_bounce: sorted.left.notAMailboxBounce,
      not_an_address: sorted.left.notAnAddress,
      no_prediction: sorted.outcomes.length - outcomes.length,
    },
    delivered_weight: deliveryWeight(sent),
    predictions_found: predictions.size,
    livemode: isLive,
  }
}

type Sent = Parameters<typeof deliveryWeight>[0]

function readSent({ outcomes, bouncedCount }: SortedReport, sentTotal: number | undefined): Sent {
  const deliveredCount = outcomes.filter(({ outcome }) => outcome === 'delivered').length
  if (sentTotal !== undefined && sentTotal < deliveredCount + bouncedCount) {
    const detail = 'is less than the number of reported messages'
    throw invalidField('/sent_total', detail)
  }
  return { deliveredCount, bouncedCount, sentTotal }
}

function weigh({ outcomes }: SortedReport, predictions: Map<string, Prediction>, sent: Sent): Outcome[] {
  const weight = deliveryWeight(sent)
  return outcomes.map(({ emailKey, domain, shape, looksMachine, outcome }) => ({
    emailKey,
    domain,
    shape,
    looksMachine,
    outcome,
    weight: outcome === 'delivered' ? weight : 1,
    prediction: predictions.get(emailKey),
    deliveriesBeside: undefined,
  }))
}

/**
 * If only the number of deliveries is known, their domains are unknown, and bounces alone would count against each domain that has
 * one. So only the sums by class change. Bounces without a class are not counted and can be reported again.
 */
function besideTotal({ outcomes }: SortedReport, predictions: Map<string, Prediction>, sent: Sent): Outcome[] {
  const bounces = outcomes.flatMap((outcome) => {
    const prediction = predictions.get(outcome.emailKey)
    return prediction ? [{ outcome, prediction }] : []
  })
  const deliveries = shareDeliveries(
    bounces.map(({ prediction }) => prediction),
    sent,
  )
  return bounces.map(({ outcome: { email: _, id: __, ...outcome }, prediction }, n) => {
    return { ...outcome, weight: 1, prediction, deliveriesBeside: deliveries[n] }
  })
}

function tally(outcomes: Outcome[]): { delivered: number; bounced: number } {
  const delivered = outcomes.filter(({ outcome }) => outcome === 'delivered').length
  return { delivered, bounced: outcomes.length - delivered }
}
