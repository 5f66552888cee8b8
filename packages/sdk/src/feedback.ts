import type { Call } from './call.ts'
import type { CallOptions, Connection } from './connection.ts'
import type { FeedbackReport, FeedbackSummary, Model } from './generated/wire.ts'

export type ReportOptions = CallOptions & {
  /** How many messages were sent in all; then the deliveries that are reported stand for those that are not. */
  sentTotal?: number | undefined
  /** The day the mail was sent, as 2026-11-02; today if left out. */
  sentOn?: string | undefined
  /** The list whose results the mail was sent by. */
  jobId?: string | undefined
}

/** What became of mail. Needs a key with the scope `validation`. */
export type Feedback = {
  /** Up to 10,000 outcomes, deliveries and bounces alike. Costs nothing, and sending it again changes nothing. */
  report(outcomes: FeedbackReport['outcomes'], options?: ReportOptions): Call<FeedbackSummary>
}

export function feedbackOf({ ask }: Connection): Feedback {
  return {
    report(outcomes, { sentTotal, sentOn, jobId, ...options } = {}) {
      const json: FeedbackReport = {
        outcomes,
        ...(sentTotal !== undefined && { sent_total: sentTotal }),
        ...(sentOn !== undefined && { sent_on: sentOn }),
        ...(jobId !== undefined && { job_id: jobId }),
      }
      return ask({ ...options, method: 'POST', path: ['feedback'], json, repeatable: true })
    },
  }
}

/** What chances are made of. Needs a key with the scope `account`. */
export type ModelInfo = {
  /** The model, its parameters, and predictions beside what came of them. */
  get(options?: CallOptions): Call<Model>
}

export function modelOf({ ask }: Connection): ModelInfo {
  return { get: (options = {}) => ask({ ...options, method: 'GET', path: ['model'], repeatable: true }) }
}
