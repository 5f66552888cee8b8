import type { Static } from 'typebox'
import Type from 'typebox'
import { JOB_EXAMPLE } from '../constants/data/examples.ts'
import { PAGE_LIMIT_MAX } from '../constants/limits.ts'
import { count, nullableInteger } from './fields.ts'
import { Job, JobPage, JobParams } from './jobs/jobs.ts'
import { LINE_COUNTS, positionField } from './jobs/list-counts.ts'
import { RESULT_EXAMPLE, Result, ResultParams, ResultsQuery } from './jobs/results.ts'
import { UploadPreview, UploadQuery } from './jobs/uploads.ts'
import { PROBING_EXAMPLE } from './system.ts'
import { BulkRequest } from './validations/bulk.ts'
import { StatusField } from './validations/fields.ts'
import { FEATURE_OPTIONS, SingleRequest, ValidationParams, ValidationResult } from './validations/single.ts'

const UPLOAD_ID = '0198f2d0-1c44-7e6f-a5b3-7d20c8914e6a'
const JOB_ID = '0198f2d1-93a8-7b05-8f17-04e5d6c2b9a1'
const CONFIRMATION = `${UPLOAD_ID}.t2x1c0.ZW1haWw.kQ2vXb7m1cT0yZr9sLw4Ng`

/** Arguments of `validate_email`: the request body of the API operation and its `Idempotency-Key` header. */
export type ValidateEmail = Static<typeof ValidateEmail>
export const ValidateEmail = Type.Object(
  {
    ...SingleRequest.properties,
    idempotency_key: Type.Optional(
      Type.String({
        pattern: '^[\\x21-\\x7e]+$',
        minLength: 1,
        maxLength: 255,
        description:
          'Any text of your own. A call that is repeated with the same key within 24 hours returns the same result and is not charged again.',
        examples: ['sign-up-4711'],
      }),
    ),
  },
  {
    title: 'Validate an address',
    description: 'The address to validate and its options.',
    additionalProperties: false,
    examples: [{ email: 'ada@example.com' }],
  },
)

export type EstimateJob = Static<typeof EstimateJob>
export const EstimateJob = Type.Object(
  {
    emails: Type.Optional(BulkRequest.properties.emails),
    upload_id: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'An upload that is not confirmed yet, instead of `emails`.',
        examples: [UPLOAD_ID],
      }),
    ),
    email_column: UploadQuery.properties.email_column,
  },
  {
    title: 'Estimate a job',
    description: 'Either `emails`, or `upload_id` with an optional `email_column`.',
    additionalProperties: false,
    examples: [{ emails: ['ada@example.com', 'grace@example.org'] }, { upload_id: UPLOAD_ID, email_column: 'email' }],
  },
)

const { upload_id, email_column, row_count, email_count, unique_count } = UploadPreview.properties
const { duplicate_count, credits, probing, livemode } = UploadPreview.properties

export type JobEstimate = Static<typeof JobEstimate>
export const JobEstimate = Type.Object(
  {
    upload_id,
    email_column,
    row_count,
    ...LINE_COUNTS,
    email_count,
    unique_count,
    duplicate_count,
    credits,
    probing,
    livemode,
    confirmation: Type.String({
      description:
        'The argument of `start_job`. It is signed for this list, this account and this mode, and starts one job.',
      examples: [CONFIRMATION],
    }),
    expires_at: Type.String({
      format: 'date-time',
      description: 'When `confirmation` expires: 10 minutes after the estimate (RFC 3339, UTC).',
      examples: ['2026-11-02T12:10:00.000Z'],
    }),
  },
  {
    title: 'Job estimate',
    description:
      'The counts of a list and the cost of validating it. Nothing is charged or reserved. Fields may be added.',
    examples: [
      {
        upload_id: UPLOAD_ID,
        email_column: 'email',
        row_count: 3,
        line_count: 3,
        blank_count: 0,
        empty_count: 0,
        not_address_count: 0,
        left_out_count: 0,
        extra_address_count: 0,
        email_count: 3,
        unique_count: 2,
        duplicate_count: 1,
        credits: { quote: 2, available: 25000, unlimited: false },
        probing: PROBING_EXAMPLE,
        livemode: true,
        confirmation: CONFIRMATION,
        expires_at: '2026-11-02T12:10:00.000Z',
      },
    ],
  },
)

export type StartJob = Static<typeof StartJob>
export const StartJob = Type.Object(
  {
    confirmation: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'The `confirmation` of an estimate, unchanged. Pass it only if the user agreed to the cost.',
      examples: [CONFIRMATION],
    }),
    ...FEATURE_OPTIONS,
  },
  {
    title: 'Start a job',
    description: 'The confirmed estimate and the options of the job.',
    additionalProperties: false,
    examples: [{ confirmation: CONFIRMATION }],
  },
)

const { skip } = JobPage.properties

/** The API reduces a higher limit to the maximum; a tool rejects it, so that an agent does not mistake a part for the whole. */
function pageLimit(noun: string, preset: number) {
  return Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE_LIMIT_MAX,
      default: preset,
      description: `Maximum number of ${noun} to return.`,
      examples: [PAGE_LIMIT_MAX],
    }),
  )
}

const NextSkip = nullableInteger({
  minimum: 1,
  description: 'The `skip` of the next page; null on the last page.',
  examples: [20, null],
})

/** Default page sizes: a job is about 1 KB of JSON, a result half of it. */
export const JOBS_DEFAULT = 10
export const RESULTS_DEFAULT = 20

export type ListJobs = Static<typeof ListJobs>
export const ListJobs = Type.Object(
  {
    status: JobPage.properties.status,
    search: JobPage.properties.search,
    skip,
    limit: pageLimit('jobs', JOBS_DEFAULT),
  },
  {
    title: 'List jobs',
    description: 'Filters and the page.',
    additionalProperties: false,
    examples: [{ status: 'processing,paused' }, { skip: 10, limit: 10 }],
  },
)

export type JobsPage = Static<typeof JobsPage>
export const JobsPage = Type.Object(
  {
    data: Type.Array(Job, { description: 'The jobs of the page, newest first.' }),
    total_count: count('Jobs that match the filters, on all pages.', 34),
    next_skip: NextSkip,
  },
  {
    title: 'Jobs page',
    description: 'One page of jobs. Fields may be added.',
    examples: [{ data: [JOB_EXAMPLE], total_count: 34, next_skip: 10 }],
  },
)

export type ListJobResults = Static<typeof ListJobResults>
export const ListJobResults = Type.Object(
  {
    job_id: JobParams.properties.job_id,
    status: ResultsQuery.properties.status,
    sub_status: ResultsQuery.properties.sub_status,
    skip: ResultsQuery.properties.skip,
    limit: pageLimit('results', RESULTS_DEFAULT),
  },
  {
    title: 'List job results',
    description: 'The job, filters and the page.',
    additionalProperties: false,
    examples: [{ job_id: JOB_ID, status: 'invalid,risky', limit: 100 }],
  },
)

export type JobResultsPage = Static<typeof JobResultsPage>
export const JobResultsPage = Type.Object(
  {
    data: Type.Array(Result, { description: 'The results of the page, in the order of the rows of the file.' }),
    total_count: count('Results that match the filters, on all pages.', 388),
    next_skip: NextSkip,
  },
  {
    title: 'Job results page',
    description: 'One page of the results of a job. Fields may be added.',
    examples: [{ data: [RESULT_EXAMPLE], total_count: 388, next_skip: 20 }],
  },
)

export type ExplainResult = Static<typeof ExplainResult>
export const ExplainResult = Type.Object(
  {
    job_id: Type.Optional(JobParams.properties.job_id),
    row: Type.Optional(ResultParams.properties.row),
    position: Type.Optional(
      Type.With(positionField, { description: 'The `position` of the result in its row. Default: the first one.' }),
    ),
    validation_id: Type.Optional(ValidationParams.properties.validation_id),
    sub_status: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'A `sub_status`; empty for valid results.',
        examples: ['catch_all'],
      }),
    ),
    problem: Type.Optional(
      Type.String({ maxLength: 100, description: 'The `code` of a problem.', examples: ['insufficient_credits'] }),
    ),
  },
  {
    title: 'Explain a result',
    description:
      'Exactly one of: `job_id` with `row` (a job result), `validation_id` (a single validation), `sub_status`, or `problem`.',
    additionalProperties: false,
    examples: [{ sub_status: 'catch_all' }, { job_id: JOB_ID, row: 2 }],
  },
)

export type Explanation = Static<typeof Explanation>
export const Explanation = Type.Object(
  {
    code: Type.String({
      description: 'The explained `sub_status` or problem code.',
      examples: ['catch_all'],
    }),
    status: Type.Optional(StatusField),
    meaning: Type.String({
      description: 'The meaning of the code, in one sentence.',
      examples: ['the domain accepts mail for every address (catch-all), so the mailbox cannot be confirmed.'],
    }),
    advice: Type.String({ description: 'The recommended action.', examples: ['Use `deliverability`.'] }),
    result: Type.Optional(Result),
    validation: Type.Optional(ValidationResult),
  },
  {
    title: 'Explanation',
    description: 'The meaning of a verdict or a problem and the recommended action. Fields may be added.',
    examples: [
      {
        code: 'mailbox_full',
        status: 'risky',
        meaning: 'the mailbox exists but is full.',
        advice: 'Keep the address and validate again in a week.',
      },
    ],
  },
)
