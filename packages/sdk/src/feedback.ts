import type { Call } from './call.ts'
import type { CallOptions, Connection, IdempotentCallOptions } from './connection.ts'
import type { FeedbackReport, FeedbackSummary, Model } from './generated/wire.ts'

export type ReportOptions = IdempotentCallOptions & {
  /** How many messages were sent in all; then the deliveries that are reported stand for those that are not. */
  sentTotal?: number | undefined
  /** The day the mail was sent, as 2026-11-02; today if left out. */
  sentOn?: string | undefined
  /** The list whose results the mail was sent by. */
  jobId?: string | undefined
}

/** What became of mail. Scope: `validations:write`. */
export type Feedback = {
  /** Reports up to 10,000 messages, delivered and bounced. Free, and idempotent. */
  report(messages: FeedbackReport['messages'], options?: ReportOptions): Call<FeedbackSummary>
}

export function feedbackOf({ ask }: Connection): Feedback {
  return {
    report(messages, { sentTotal, sentOn, jobId, idempotencyKey, ...options } = {}) {
      const json: FeedbackReport = {
        messages,
        ...(sentTotal !== undefined && { sent_total: sentTotal }),
        ...(sentOn !== undefined && { sent_on: sentOn }),
        ...(jobId !== undefined && { job_id: jobId }),
      }
      return ask({ ...options, method: 'POST', path: ['feedback'], json, repeatable: { idempotencyKey } })
    },
  }
}

/** What chances are made of. Scope: `account:read`. */
export type ModelInfo = {
  /** The model, its parameters, and predictions beside what came of them. */
  get(options?: CallOptions): Call<Model>
}

export function modelOf({ ask }: Connection): ModelInfo {
  return { get: (options = {}) => ask({ ...options, method: 'GET', path: ['model'], repeatable: true }) }
}
