import type { FeedbackSummary } from '@probity/contract/schemas/feedback'
import { type Db, inTenant } from '@probity/database/connection/connect'
import type { Prediction } from '@probity/database/feedback/outcome-sums'
import { countOutcomes, type Outcome } from '@probity/database/feedback/outcomes'
import type { Redis } from 'ioredis'
import { Problem } from '../http/problem.ts'
import type { Auth } from '../middleware/authentication/auth.ts'
import type { RecentKeys } from '../middleware/rate-limit/recent-keys.ts'
import { findPredictions } from './find-predictions.ts'
import type { ReportReading } from './read-feedback.ts'
import type { SortedReport } from './sort-outcomes.ts'
import { deliveryWeight, isTotalOnly, shareDeliveries } from './weigh.ts'

type CountReportDependencies = {
  db: Db
  redis: Redis
  recentKeyOf: RecentKeys['keyOf']
}

/** Counts what a report tells and was not counted before. In test mode everything is read and nothing is kept. */
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
    throw new Problem('invalid_request', undefined, { errors: [{ pointer: '/sent_total', detail }] })
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
