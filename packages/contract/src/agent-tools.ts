import type { Static } from 'typebox'
import Type from 'typebox'
import { JobParams } from './bulk.ts'
import { BulkRequest } from './bulk-validation.ts'
import { PROBING_EXAMPLE } from './probing.ts'
import { Result, ResultParams } from './results.ts'
import { StatusField } from './status-fields.ts'
import { UploadPreview, UploadQuery } from './upload.ts'
import { FEATURE_OPTIONS, SingleRequest, ValidationParams, ValidationResult } from './validation.ts'

/** For how long the cost that an estimate showed can be agreed to. */
export const CONFIRMATION_LASTS_S = 600

const UPLOAD_ID = '0198f2d0-1c44-7e6f-a5b3-7d20c8914e6a'
const JOB_ID = '0198f2d1-93a8-7b05-8f17-04e5d6c2b9a1'
const CONFIRMATION = `${UPLOAD_ID}.t2x1c0.ZW1haWw.kQ2vXb7m1cT0yZr9sLw4Ng`

/** What `validate_email` takes: the body of the route, and its header. */
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
          'Any text of your own. A call that is repeated with the same one within 24 hours has the same answer and costs nothing more.',
        examples: ['sign-up-4711'],
      }),
    ),
  },
  {
    title: 'Validate an address',
    description: 'One address to validate.',
    additionalProperties: false,
    examples: [{ email: 'ada@example.com' }],
  },
)

export type EstimateList = Static<typeof EstimateList>
export const EstimateList = Type.Object(
  {
    emails: Type.Optional(BulkRequest.properties.emails),
    upload_id: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'A file that was uploaded before and not confirmed yet, instead of `emails`.',
        examples: [UPLOAD_ID],
      }),
    ),
    email_column: UploadQuery.properties.email_column,
  },
  {
    title: 'Estimate a list',
    description: 'A list of addresses, or an upload and the column that holds them. Exactly one of the two.',
    additionalProperties: false,
    examples: [{ emails: ['ada@example.com', 'grace@example.org'] }, { upload_id: UPLOAD_ID, email_column: 'email' }],
  },
)

const { upload_id, email_column, row_count, email_count, empty_count, not_address_count, unique_count } =
  UploadPreview.properties
const { duplicate_count, credits, probing, livemode } = UploadPreview.properties

export type ListEstimate = Static<typeof ListEstimate>
export const ListEstimate = Type.Object(
  {
    upload_id,
    email_column,
    row_count,
    email_count,
    empty_count,
    not_address_count,
    unique_count,
    duplicate_count,
    credits,
    probing,
    livemode,
    confirmation: Type.String({
      description: 'What `start_list` needs: it says that this cost was seen. Good for one job of this very list.',
      examples: [CONFIRMATION],
    }),
    expires_at: Type.String({
      format: 'date-time',
      description: 'Until when `confirmation` is good, 10 minutes from now (RFC 3339, UTC).',
      examples: ['2026-11-02T12:10:00.000Z'],
    }),
  },
  {
    title: 'List estimate',
    description:
      'What is in a list and what validating it costs. Nothing is charged or set aside. Fields may be added.',
    examples: [
      {
        upload_id: UPLOAD_ID,
        email_column: 'email',
        row_count: 3,
        email_count: 3,
        empty_count: 0,
        not_address_count: 0,
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

export type StartList = Static<typeof StartList>
export const StartList = Type.Object(
  {
    confirmation: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'The `confirmation` of an estimate whose cost was agreed to, copied as it is.',
      examples: [CONFIRMATION],
    }),
    ...FEATURE_OPTIONS,
  },
  {
    title: 'Start a list',
    description: 'Agrees to the cost of an estimate and has its list validated.',
    additionalProperties: false,
    examples: [{ confirmation: CONFIRMATION }],
  },
)

export type ExplainVerdict = Static<typeof ExplainVerdict>
export const ExplainVerdict = Type.Object(
  {
    job_id: Type.Optional(JobParams.properties.job_id),
    row: Type.Optional(ResultParams.properties.row),
    validation_id: Type.Optional(ValidationParams.properties.validation_id),
    sub_status: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'A `sub_status` of a result; empty for a valid one.',
        examples: ['catch_all'],
      }),
    ),
    problem: Type.Optional(
      Type.String({ maxLength: 100, description: 'The `code` of a problem.', examples: ['insufficient_credits'] }),
    ),
  },
  {
    title: 'Explain a verdict',
    description:
      'What to explain: a result of a list by `job_id` and `row`, a single validation by `validation_id`, a `sub_status`, or a `problem`. Exactly one of them.',
    additionalProperties: false,
    examples: [{ sub_status: 'catch_all' }, { job_id: JOB_ID, row: 2 }],
  },
)

export type Explanation = Static<typeof Explanation>
export const Explanation = Type.Object(
  {
    code: Type.String({
      description: 'What is explained: a `sub_status` or the code of a problem.',
      examples: ['catch_all'],
    }),
    status: Type.Optional(StatusField),
    meaning: Type.String({
      description: 'What it means, in a sentence.',
      examples: ['the domain accepts every address, so this one cannot be told apart.'],
    }),
    advice: Type.String({ description: 'What to do about it.', examples: ['Go by `deliverability`.'] }),
    result: Type.Optional(Result),
    validation: Type.Optional(ValidationResult),
  },
  {
    title: 'Explanation',
    description: 'What a verdict or a problem means and what to do about it. Fields may be added.',
    examples: [
      {
        code: 'mailbox_full',
        status: 'risky',
        meaning: 'the mailbox exists but has no room at the moment.',
        advice: 'Keep the address and try again in a week.',
      },
    ],
  },
)
