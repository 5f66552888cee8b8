import { FeedbackQuery, FeedbackReport, FeedbackSheet, FeedbackSummary } from '@probity/contract/feedback'
import { countReport } from '../feedback/count-report.ts'
import { readReport } from '../feedback/read-report.ts'
import { BODY_PROBLEMS, DOOR_PROBLEMS, operation } from '../openapi.ts'
import type { Route } from '../route.ts'

/** Ten thousand outcomes, each with an address, a line of a server and an id. */
const BODY_BYTES_MAX = 4 * 1024 * 1024

/** What became of mail that was sent, so that the next result knows. */
export const reportFeedback: Route = async (app, services) => {
  app.removeContentTypeParser('text/plain')
  app.addContentTypeParser('text/csv', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  const schema = operation(
    {
      id: 'reportFeedback',
      tag: 'Feedback',
      summary: 'Report what became of mail',
      description:
        'Deliveries and bounces, in JSON or as CSV. They are added to sums by domain and by kind of result, which the next results of the account go by; the addresses are not kept. Only bounces that tell of the mailbox count: not those of a refused sender, a full mailbox or a bad moment. The same report may be sent again: each outcome of a day counts once, and a bounce takes the place of a delivery. Results are found by `id`, by `job_id`, or among the recent ones; an id of which there is nothing (any more) is passed over. Costs nothing.',
      problems: [
        'invalid_request',
        ...BODY_PROBLEMS,
        'malformed_csv',
        'record_too_long',
        'too_many_columns',
        ...DOOR_PROBLEMS,
      ],
    },
    { querystring: FeedbackQuery, body: BODIES, response: { 200: FeedbackSummary } },
  )
  // The same scope as validating: whoever asks for a result is who learns what came of it.
  const options = { schema, config: { scope: 'validation', isPublic: true }, bodyLimit: BODY_BYTES_MAX } as const
  app.post('/feedback', options, async ({ body, query, caller }) =>
    countReport(services, caller, await readReport(body, query)),
  )
}

const BODIES = {
  content: { 'application/json': { schema: FeedbackReport }, 'text/csv': { schema: FeedbackSheet } },
}
