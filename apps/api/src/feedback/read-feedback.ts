import { MESSAGES_PER_REPORT_MAX, SENT_DAYS_AGO_MAX } from '@probity/contract/constants/limits'
import type { PermanentCode } from '@probity/contract/constants/problems'
import { type FeedbackQuery, FeedbackReport } from '@probity/contract/schemas/feedback'
import { guessDelimiter, readRecords } from '@probity/uploads/csv'
import { Refusal } from '@probity/uploads/refusal'
import type { FastifyError } from 'fastify'
import Value from 'typebox/value'
import { checkRequests } from '../http/compile-late.ts'
import { asProblem, invalidField, Problem } from '../http/problem.ts'
import { type SortedReport, sortOutcomes } from './sort-outcomes.ts'

/** A report with its day filled in. */
export type ReadReport = FeedbackReport & { sent_on: string }

/** Reads a report: validated JSON, or CSV with the other fields in the query. */
export async function readReport(body: unknown, query: FeedbackQuery): Promise<ReadReport> {
  if (body === undefined) throw invalidField('/messages', 'is required') // a missing body is not validated against the schema
  const report = typeof body === 'string' ? await readSheet(body, query) : (body as FeedbackReport)
  return { ...report, sent_on: readDay(report.sent_on) }
}

const COLUMNS = ['email', 'delivery', 'code', 'id'] as const
/** Enough lines to detect the delimiter. */
const BEGINNING_UNITS = 4096

async function readSheet(text: string, query: FeedbackQuery): Promise<FeedbackReport> {
  const messages: Record<string, string>[] = []
  let places: [string, number][] | undefined
  try {
    for await (const records of readRecords(piecesOf(text), guessDelimiter(text.slice(0, BEGINNING_UNITS)))) {
      for (const { cells } of records) {
        if (places === undefined) places = readHeader(cells)
        else messages.push(readRow(cells, places))
      }
      if (messages.length > MESSAGES_PER_REPORT_MAX) break // the surplus message is rejected below
    }
  } catch (error) {
    throw error instanceof Refusal ? new Problem(error.code, error.message) : error
  }
  const report = { ...query, messages }
  if (Value.Check(FeedbackReport, report)) return report
  const faults = [...Value.Errors(FeedbackReport, report)].slice(0, FAULTS_SHOWN_MAX)
  const errors = faults.map(({ instancePath, message }) => ({ pointer: instancePath, detail: message }))
  throw new Problem('invalid_request', undefined, { errors })
}

const FAULTS_SHOWN_MAX = 10

async function* piecesOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

/** Positions of the known columns. Other columns are ignored. */
function readHeader(cells: string[]): [string, number][] {
  const names = cells.map((cell) => cell.trim().toLowerCase())
  for (const name of ['email', 'delivery']) {
    if (names.includes(name)) continue
    throw invalidField('', `has no column "${name}"`)
  }
  return COLUMNS.filter((name) => names.includes(name)).map((name) => [name, names.indexOf(name)])
}

/** An empty cell is a missing value, except for required fields. */
function readRow(cells: string[], places: [string, number][]): Record<string, string> {
  const row = places.map(([name, place]) => [name, cells[place]?.trim() ?? ''] as const)
  return Object.fromEntries(row.filter(([name, cell]) => cell !== '' || name === 'email' || name === 'delivery'))
}

const DAY_MS = 86_400_000

/** In the sender's time zone it may already be the next day. */
function readDay(given: string | undefined): string {
  const day = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)
  if (given === undefined) return day(0)
  if (given >= day(-SENT_DAYS_AGO_MAX) && given <= day(1)) return given
  throw invalidField('/sent_on', `must be within the last ${SENT_DAYS_AGO_MAX} days`)
}

/** A report as it arrived: JSON, or CSV with the rest in the query. */
export type ReportTask = { body: unknown; query: FeedbackQuery }
export type ReportReading = { report: Omit<ReadReport, 'messages'>; received: number; sorted: SortedReport }
export type ReportOutcome =
  | ({ kind: 'read' } & ReportReading)
  | { kind: 'rejected'; code: PermanentCode; detail: string; errors: Problem['errors'] }

/**
 * Reads and sorts one report, in a worker thread or in the main thread. Errors lose their class at the thread boundary, so they are
 * returned
 * as values.
 */
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

/** Here and not in Fastify: validating 10,000 messages against the schema takes a tenth of a second. */
function checkJson(body: unknown): unknown {
  if (typeof body === 'string' || body === undefined) return body
  const checked: unknown = check(body)
  if (checked === true || typeof checked !== 'object' || checked === null) return body
  if ('error' in checked && checked.error) throw asProblem({ validation: checked.error } as FastifyError)
  return body
}
