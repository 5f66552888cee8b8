import { FeedbackQuery, FeedbackReport, FeedbackSheet, FeedbackSummary } from '@probity/contract/schemas/feedback'
import type { Db } from '@probity/database/connection/connect'
import type { FastifyRequest } from 'fastify'
import type { Redis } from 'ioredis'
import { checkRequests } from '../http/compile-late.ts'
import { BODY_PROBLEMS, IDEMPOTENCY_PROBLEMS, MIDDLEWARE_PROBLEMS, operation } from '../http/openapi.ts'
import { invalidField, Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { isPublicSandbox } from '../middleware/authentication/public-sandbox.ts'
import type { RecentKeys } from '../middleware/rate-limit/recent-keys.ts'
import { countReport } from './count-report.ts'
import type { FeedbackReader } from './reader.ts'

type FeedbackDependencies = {
  db: Db
  redis: Redis
  recentKeyOf: RecentKeys['keyOf']
  feedbackReader: FeedbackReader
}

/** Ten thousand messages, each with an address, a reply line and an id. */
const BODY_BYTES_MAX = 4 * 1024 * 1024
/** With the public sandbox key, which is public: enough to try out reports. */
const PUBLIC_MESSAGES_MAX = 100
const PUBLIC_BODY_BYTES_MAX = 64 * 1024

/** Receives delivery outcomes, which later results use. */
export const reportFeedback: Route<FeedbackDependencies> = async (app, services) => {
  app.removeContentTypeParser('text/plain')
  app.addContentTypeParser('text/csv', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  const schema = operation(
    {
      id: 'reportFeedback',
      tag: 'Feedback',
      summary: 'Report delivery outcomes',
      description:
        'Reports deliveries and bounces, as JSON or CSV. They are added to sums by domain and kind of result, which later results of the account use; the addresses are not stored. Only bounces that concern the mailbox count, not those because of a rejected sender, a full mailbox or a temporary error. A report can be sent again: each message of a day counts once, and a bounce replaces a delivery. Results are found by `id`, by `job_id`, or among recent results; unknown and expired ids are ignored. Free.',
      problems: [
        'invalid_request',
        ...BODY_PROBLEMS,
        'malformed_csv',
        'record_too_long',
        'too_many_columns',
        ...IDEMPOTENCY_PROBLEMS,
        ...MIDDLEWARE_PROBLEMS,
      ],
    },
    { querystring: FeedbackQuery, body: BODIES, response: { 200: FeedbackSummary } },
  )
  // The same scope as for validations: the client that validates an address is the one that learns the delivery outcome.
  const options = { schema, config: { scope: 'validations:write', isPublic: true }, bodyLimit: BODY_BYTES_MAX } as const
  const preParsing = async (request: FastifyRequest) => {
    if (isPublicSandbox(request.auth) && sizeOf(request) > PUBLIC_BODY_BYTES_MAX) throw new Problem('payload_too_large')
  }
  // The body is validated where it is read, by `feedbackReader`.
  const validatorCompiler: typeof checkRequests = (part) =>
    part.httpPart === 'body' ? () => true : checkRequests(part)
  app.post('/feedback', { ...options, preParsing, validatorCompiler }, async (request) => {
    const { body, query, auth } = request
    const reading = await services.feedbackReader.read({ body, query }, sizeOf(request))
    if (isPublicSandbox(auth) && reading.received > PUBLIC_MESSAGES_MAX) throw tooManyMessages()
    return countReport(services, auth, reading)
  })
}

/** Size of the body. A body of unknown length counts as longer than any limit. */
function sizeOf({ headers }: FastifyRequest): number {
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY)
}

function tooManyMessages(): Problem {
  const detail = `must have at most ${PUBLIC_MESSAGES_MAX} messages with the public sandbox key`
  return invalidField('/messages', detail)
}

const BODIES = {
  content: { 'application/json': { schema: FeedbackReport }, 'text/csv': { schema: FeedbackSheet } },
}
