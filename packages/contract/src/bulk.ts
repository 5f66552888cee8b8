import type { Static } from 'typebox'
import Type from 'typebox'
import { count } from './count.ts'
import { jobDelayReasonField } from './delay.ts'
import { LivemodeField } from './livemode.ts'
import { nullableString } from './nullable.ts'
import { pageQuery } from './page.ts'
import { REFERENCE_OPTION } from './request-options.ts'
import { FEATURE_OPTIONS } from './validation.ts'
import { openList, valueList } from './value-list.ts'
import { WebhookUrlField } from './webhooks.ts'

/** What a job is doing. */
export const JOB_STATES = {
  queued: 'confirmed and waiting for its turn.',
  planning: 'the file is being read and its addresses are laid out for work.',
  processing: 'addresses are being validated.',
  paused: 'no work is done until the job is resumed; what is finished is kept.',
  completed: 'every address has its result.',
  canceled: 'stopped on request; finished results are kept and unused credits returned.',
  failed: 'given up because of a fault; unused credits are returned.',
} as const satisfies Record<string, string>

export type JobState = keyof typeof JOB_STATES

const STATE = `(${Object.keys(JOB_STATES).join('|')})`

const UPLOAD_ID = '0198f2d0-1c44-7e6f-a5b3-7d20c8914e6a'
const JOB_ID = '0198f2d1-93a8-7b05-8f17-04e5d6c2b9a1'

export type ConfirmRequest = Static<typeof ConfirmRequest>
export const ConfirmRequest = Type.Object(
  {
    upload_id: Type.String({
      format: 'uuid',
      description: 'The upload to validate, as named by the preview.',
      examples: [UPLOAD_ID],
    }),
    email_column: Type.String({
      minLength: 1,
      maxLength: 1024,
      description: 'The column that holds the addresses: one of `columns` of the preview.',
      examples: ['email'],
    }),
    ...FEATURE_OPTIONS,
    ...REFERENCE_OPTION,
    max_age_s: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Maximum age, in seconds, of an earlier result that the job may use instead of a new validation. 0, or no value: validate every address. Earlier results are those of single and bulk requests of the last 24 hours, which is also the longest possible age; a job never uses results of other jobs. A reused result costs the same. Cached findings about a domain (DNS, catch-all) are not affected; see `source` in the evidence.',
        examples: [0, 3600],
      }),
    ),
    callback_url: Type.Optional(
      Type.With(WebhookUrlField, {
        description:
          'URL that receives the event that ends the job: `job.completed`, `job.failed` or `job.canceled`. The rules for webhook URLs apply. The request is signed with the callback secret of the account.',
        examples: ['https://hooks.example.com/jobs'],
      }),
    ),
  },
  {
    title: 'Confirm upload request',
    description: 'Turns an upload into a job.',
    additionalProperties: false,
    examples: [{ upload_id: UPLOAD_ID, email_column: 'email', reference: 'newsletter-2026-11' }],
  },
)

const JobIdField = Type.String({ format: 'uuid', description: 'Names the job.', examples: [JOB_ID] })

// An open list, like the statuses of a result.
const JobStatusField = Type.String({
  title: 'Job status',
  ...openList(JOB_STATES),
  description: `What the job is doing. The list is open: treat a state you do not know as one that is still under way.${valueList(JOB_STATES)}`,
})

export type JobParams = Static<typeof JobParams>
export const JobParams = Type.Object(
  { job_id: Type.String({ format: 'uuid', description: 'The `id` of the job.', examples: [JOB_ID] }) },
  { title: 'Job path', description: 'Which job is meant.', examples: [{ job_id: JOB_ID }] },
)

export type JobCreated = Static<typeof JobCreated>
export const JobCreated = Type.Object(
  { id: JobIdField, status: JobStatusField, livemode: LivemodeField },
  {
    title: 'Confirm upload result',
    description: 'The job of a confirmed upload and its present status. Fields may be added.',
    examples: [{ id: JOB_ID, status: 'queued', livemode: true }],
  },
)

const StatusCounts = Type.Object(
  {
    valid: count('Unique addresses found `valid` so far.', 5210),
    invalid: count('Unique addresses found `invalid` so far.', 388),
    risky: count('Unique addresses found `risky` so far.', 647),
    unknown: count('Unique addresses that ended `unknown` so far.', 155),
  },
  { description: 'The finished addresses by status.' },
)

const SubStatusCounts = Type.Unsafe<Record<string, number>>({
  type: 'object',
  additionalProperties: { type: 'integer', minimum: 0, description: 'Unique addresses with this reason so far.' },
  description:
    'The finished addresses by reason. Only reasons that occurred are listed, and results without a reason are left out.',
  examples: [{ mailbox_not_found: 361, syntax_error: 27 }],
})

const JobCredits = Type.Object(
  {
    reserved: count('Credits set aside for addresses that have no result yet.', 3600),
    used: count('Credits charged so far: 1 for every unique address with a result.', 6400),
    refunded: count(
      'Credits given back so far for addresses that ended `unknown`, where the plan does so, and for all that no mail server could be asked about (`not_probed`).',
      155,
    ),
  },
  { description: 'What the job costs.' },
)

const Deferred = Type.Object({
  reason: Type.String({
    description: 'The reason of the deferral, as a `sub_status`. More values may be added.',
    examples: ['greylisted', 'rate_limited'],
  }),
  count: count('Unique addresses that are deferred for this reason.', 312),
  retry_at: Type.String({
    format: 'date-time',
    description: 'The time of the first of these retries (RFC 3339, UTC).',
    examples: ['2026-11-02T12:10:00.000Z'],
  }),
})

/** When a job will be done, as far as that can be told. */
export type JobEta = { earliest_at: string; latest_at: string } | null
const Eta = Type.Unsafe<JobEta>({
  type: ['object', 'null'],
  required: ['earliest_at', 'latest_at'],
  properties: {
    earliest_at: Type.String({
      format: 'date-time',
      description: 'If the work goes on at the pace of the last minute (RFC 3339, UTC).',
      examples: ['2026-11-02T12:03:00.000Z'],
    }),
    latest_at: Type.String({
      format: 'date-time',
      description:
        'If it goes slower, and if the mail servers that put addresses off do so as often as we ask (RFC 3339, UTC).',
      examples: ['2026-11-02T13:25:30.000Z'],
    }),
  },
  description:
    'Between when and when the job is expected to be done. Null where there is nothing to tell it by: before the work has begun, while it is paused and once it has ended.',
  examples: [{ earliest_at: '2026-11-02T12:03:00.000Z', latest_at: '2026-11-02T13:25:30.000Z' }, null],
})

export const JOB_EXAMPLE = {
  id: JOB_ID,
  status: 'processing',
  filename: 'newsletter.csv',
  email_column: 'email',
  reference: 'newsletter-2026-11',
  created_at: '2026-11-02T12:00:00.000Z',
  started_at: '2026-11-02T12:00:02.318Z',
  finished_at: null,
  expires_on: '2026-12-02',
  row_count: 10500,
  email_count: 10452,
  unique_count: 10000,
  duplicate_count: 452,
  done_count: 6400,
  progress: 0.64,
  rate_per_s: 54.8,
  eta: { earliest_at: '2026-11-02T12:03:00.000Z', latest_at: '2026-11-02T13:25:30.000Z' },
  deferred: [{ reason: 'greylisted', count: 312, retry_at: '2026-11-02T12:10:00.000Z' }],
  delay_reason: null,
  status_counts: { valid: 5210, invalid: 388, risky: 647, unknown: 155 },
  sub_status_counts: {
    mailbox_not_found: 361,
    syntax_error: 27,
    catch_all: 602,
    disposable: 45,
    policy_rejected: 140,
    blocked: 15,
  },
  credits: { reserved: 3600, used: 6400, refunded: 155 },
  callback_url: null,
  livemode: true,
}

export type Job = Static<typeof Job>
export const Job = Type.Object(
  {
    id: JobIdField,
    status: JobStatusField,
    filename: Type.String({ description: 'What the uploaded file was called.', examples: ['newsletter.csv'] }),
    email_column: Type.String({ description: 'The column that holds the addresses.', examples: ['email'] }),
    reference: nullableString({
      description: 'The `reference` of the confirmation; null if it had none.',
      examples: ['newsletter-2026-11', null],
    }),
    created_at: Type.String({
      format: 'date-time',
      description: 'When the upload was confirmed (RFC 3339, UTC).',
      examples: ['2026-11-02T12:00:00.000Z'],
    }),
    started_at: nullableTime('When the first address was taken up (RFC 3339, UTC); null before that.'),
    finished_at: nullableTime('When the job came to its end, whichever it was (RFC 3339, UTC); null until then.'),
    expires_on: Type.String({
      format: 'date',
      description: 'The day (UTC) on which the addresses and their results are removed. This summary stays.',
      examples: ['2026-12-02'],
    }),
    row_count: count('Rows of data in the file, without the header and without empty rows.', 10500),
    email_count: count('Rows whose email cell contains an address.', 10452),
    unique_count: count('Unique addresses among these rows.', 10000),
    duplicate_count: count('Rows that repeat an earlier address.', 452),
    done_count: count('Unique addresses that have a result.', 6400),
    progress: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'The share of the unique addresses that have a result; 1 only when all of them have.',
      examples: [0.64],
    }),
    rate_per_s: Type.Number({
      minimum: 0,
      description:
        'Addresses finished per second, over the last minute; 0 where none were, and once the job has ended.',
      examples: [54.8],
    }),
    eta: Eta,
    deferred: Type.Array(Deferred, {
      description: 'Addresses without a final result whose retry is scheduled, by reason.',
    }),
    delay_reason: jobDelayReasonField('Reason why a job that has not ended makes no progress'),
    status_counts: StatusCounts,
    sub_status_counts: SubStatusCounts,
    credits: JobCredits,
    callback_url: nullableString({
      description: 'The URL that receives the event that ends the job; null if there is none.',
      examples: ['https://hooks.example.com/jobs', null],
    }),
    livemode: LivemodeField,
  },
  {
    title: 'Bulk job',
    description: 'A file of addresses on its way through validation. Fields may be added.',
    examples: [JOB_EXAMPLE],
  },
)

export type JobPage = Static<typeof JobPage>
export const JobPage = Type.Object(
  {
    ...pageQuery('', 'jobs').properties,
    status: Type.Optional(
      Type.String({
        pattern: `^${STATE}(,${STATE})*$`,
        maxLength: 200,
        description: 'Only jobs with one of these statuses, separated by commas.',
        examples: ['processing', 'completed,failed'],
      }),
    ),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Only jobs whose `filename` holds this text, in upper or lower case. No character stands for others.',
        examples: ['newsletter'],
      }),
    ),
  },
  {
    title: 'Page of jobs',
    description: 'Chooses a page of jobs. Without parameters the first ten of all are returned.',
    examples: [{ skip: 20, limit: 10, status: 'completed,failed' }],
  },
)

export type JobList = Static<typeof JobList>
export const JobList = Type.Array(Job, {
  title: 'Bulk job list',
  description: 'One page of the jobs of the account, newest first.',
  examples: [[JOB_EXAMPLE]],
})

function nullableTime(description: string) {
  return nullableString({ format: 'date-time', description, examples: ['2026-11-02T12:00:02.318Z', null] })
}
