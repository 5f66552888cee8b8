import type { Prediction } from './outcome-sums.ts'
import type { Outcome, Report } from './outcomes.ts'

/** For tests: the prediction for an address of a catch-all domain. */
export const TEST_PREDICTION: Prediction = { p: 0.85, subStatus: 'catch_all', provider: 'google', isDecided: false }

/** For tests: one outcome, a delivery with a prediction by default. */
export function testOutcome(email: string, changes: Partial<Outcome> = {}): Outcome {
  const domain = email.slice(email.lastIndexOf('@') + 1)
  const known = { shape: 2, looksMachine: false, prediction: TEST_PREDICTION, deliveriesBeside: undefined }
  const usual = { outcome: 'delivered', weight: 1, ...known } as const
  return { emailKey: email, domain, ...usual, ...changes }
}

/** For tests: a report of mail that was sent today. */
export function reportOf(outcomes: Outcome[]): Report {
  return { sentOn: new Date().toISOString().slice(0, 10), outcomes }
}
