import type { PermanentCode } from '@probity/contract/constants/problems'
import { type FeedbackQuery, FeedbackReport } from '@probity/contract/schemas/feedback'
import type { FastifyError } from 'fastify'
import { checkRequests } from '../http/compile-late.ts'
import { asProblem, Problem } from '../http/problem.ts'
import { type ReadReport, readReport } from './read-report.ts'
import { type SortedReport, sortOutcomes } from './sort-outcomes.ts'

/** A report as it arrived: JSON, or CSV with the rest in the query. */
export type ReportTask = { body: unknown; query: FeedbackQuery }
export type ReportReading = { report: Omit<ReadReport, 'messages'>; received: number; sorted: SortedReport }
export type ReportOutcome =
  | ({ kind: 'read' } & ReportReading)
  | { kind: 'rejected'; code: PermanentCode; detail: string; errors: Problem['errors'] }

/** Reads and sorts one report, in a thread or beside one. An error would lose its class on the way out of a thread, so it is a value. */
export async function readFeedback({ body, query }: ReportTask): Promise<ReportOutcome> {
  try {
    const { messages, ...report } = await readReport(checkJson(body), query)
    return { kind: 'read', report, received: messages.length, sorted: sortOutcomes(messages) }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { kind: 'rejected', code: error.code as PermanentCode, detail: error.message, errors: error.errors }
  }
}

const check = checkRequests({ schema: FeedbackReport, method: 'POST', url: '/feedback', httpPart: 'body' })

/** Here instead of in the framework: to check 10,000 messages against the schema takes a tenth of a second. */
function checkJson(body: unknown): unknown {
  if (typeof body === 'string' || body === undefined) return body
  const checked: unknown = check(body)
  if (checked === true || typeof checked !== 'object' || checked === null) return body
  if ('error' in checked && checked.error) throw asProblem({ validation: checked.error } as FastifyError)
  return body
}
