import type { Static } from 'typebox'
import Type from 'typebox'
import { JOB_EXAMPLE, JOB_ID } from '../../constants/data/examples.ts'
import { JOB_STATES, RERUN_ROWS, type RerunRows } from '../../constants/jobs.ts'
import { JOB_NAME_LENGTH_MAX, JOB_PAGE_LIMIT_MAX, TAG_LENGTH_MAX, TAGS_MAX } from '../../constants/limits.ts'
import { count, extensibleEnum, LivemodeField, nullableString, pageQuery, valueList } from '../fields.ts'
import { jobDelayReasonField } from '../system.ts'
import { REFERENCE_OPTION } from '../validations/fields.ts'
import { FEATURE_OPTIONS } from '../validations/single.ts'
import { WebhookUrlField } from '../webhooks/endpoints.ts'
import { CELL_OPTION_FIELDS, CELL_OPTIONS, LINE_COUNTS } from './list-counts.ts'

const STATE = `(${Object.keys(JOB_STATES).join('|')})`

const UPLOAD_ID = '0198f2d0-1c44-7e6f-a5b3-7d20c8914e6a'

export type ConfirmRequest = Static<typeof ConfirmRequest>
export const ConfirmRequest = Type.Object(
  {
    upload_id: Type.String({
      format: 'uuid',
      description: '`upload_id` of the upload to validate, from its preview.',
      examples: [UPLOAD_ID],
    }),
    email_column: Type.String({
      minLength: 1,
      maxLength: 1024,
      description: 'Column with the addresses: one of `columns` of the preview.',
      examples: ['email'],
    }),
    ...CELL_OPTIONS,
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
    description: 'Creates a job from an upload.',
    additionalProperties: false,
    examples: [{ upload_id: UPLOAD_ID, email_column: 'email', reference: 'newsletter-2026-11' }],
  },
)

const JobIdField = Type.String({ format: 'uuid', description: 'Id of the job.', examples: [JOB_ID] })

// An extensible enum, like the statuses of a result.
const JobStatusField = Type.String({
  title: 'Job status',
  ...extensibleEnum(JOB_STATES),
  description: `Status of the job. Values may be added: treat unrecognized values as in progress.${valueList(JOB_STATES)}`,
})

export type JobParams = Static<typeof JobParams>
export const JobParams = Type.Object(
  { job_id: Type.String({ format: 'uuid', description: 'The `id` of the job.', examples: [JOB_ID] }) },
  { title: 'Job path', description: 'The job.', examples: [{ job_id: JOB_ID }] },
)

export type JobCreated = Static<typeof JobCreated>
export const JobCreated = Type.Object(
  { id: JobIdField, status: JobStatusField, livemode: LivemodeField },
  {
    title: 'Confirm upload result',
    description: 'The job of a confirmed upload and its current status. Fields may be added.',
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
    'The finished addresses by reason. Reasons that did not occur and results without a reason are not listed.',
  examples: [{ mailbox_not_found: 361, syntax_error: 27 }],
})

const JobCredits = Type.Object(
  {
    reserved: count('Credits reserved for addresses that have no result yet.', 3600),
    used: count('Credits used so far, before refunds: 1 for every unique address with a result.', 6400),
    refunded: count(
      'Credits refunded so far: for addresses that ended `unknown`, if the plan includes refunds, and for all addresses that could not be probed (`not_probed`) or whose DNS lookup failed (`dns_failed`).',
      155,
    ),
    charged: count('Credits charged so far, after refunds: `used` minus `refunded`. This is what the job costs.', 6245),
  },
  { description: 'Credits of the job.' },
)

const Deferred = Type.Object({
  reason: Type.String({
    description:
      'The reason of the deferral, as a `sub_status`; `throttled` if our rate limiter delays the addresses. More values may be added.',
    examples: ['greylisted', 'throttled'],
  }),
  count: count('Unique addresses that are deferred for this reason.', 312),
  retry_at: Type.String({
    format: 'date-time',
    description: 'The time of the first of these retries (RFC 3339, UTC); in the past while it takes place.',
    examples: ['2026-11-02T12:10:00.000Z'],
  }),
  last_retry_at: Type.String({
    format: 'date-time',
    description: 'The time of the last attempt, if mail servers defer the addresses each time (RFC 3339, UTC).',
    examples: ['2026-11-02T13:25:30.000Z'],
  }),
})

/** Estimated completion of a job. */
export type JobEta = { earliest_at: string; latest_at: string } | null
const Eta = Type.Unsafe<JobEta>({
  type: ['object', 'null'],
  required: ['earliest_at', 'latest_at'],
  properties: {
    earliest_at: Type.String({
      format: 'date-time',
      description: 'Estimate from the throughput of the last minute (RFC 3339, UTC).',
      examples: ['2026-11-02T12:03:00.000Z'],
    }),
    latest_at: Type.String({
      format: 'date-time',
      description:
        'Estimate for a lower throughput, if slow mail servers need all their time and deferred addresses all their attempts (RFC 3339, UTC). In test mode at most a minute from now.',
      examples: ['2026-11-02T13:25:30.000Z'],
    }),
  },
  description:
    'Period in which the job is expected to complete. Null if it cannot be estimated: before the first results, while the job is paused, and after it has ended.',
  examples: [{ earliest_at: '2026-11-02T12:03:00.000Z', latest_at: '2026-11-02T13:25:30.000Z' }, null],
})

const RERUN_ID = '0198f2d4-0a1c-7f3e-9b55-6e1d2c3b4a59'

const unknownRerunFields = {
  id: Type.String({ format: 'uuid', description: 'Id of the rerun, itself a job.', examples: [RERUN_ID] }),
  status: JobStatusField,
  created_at: Type.String({
    format: 'date-time',
    description: 'When the rerun was created (RFC 3339, UTC).',
    examples: ['2026-11-03T09:00:00.000Z'],
  }),
  finished_at: nullableTime('When the rerun was completed or canceled, or failed (RFC 3339, UTC); null until then.'),
  merged_at: nullableTime('When its results were merged into this job (RFC 3339, UTC); null until then.'),
  unique_count: count('Unique addresses that the rerun validates.', 67),
  done_count: count('Unique addresses that have a result.', 67),
  status_counts: Type.With(StatusCounts, { description: 'The finished addresses of the rerun by status.' }),
}

const UNKNOWN_RERUN_EXAMPLE = {
  id: RERUN_ID,
  status: 'completed',
  created_at: '2026-11-03T09:00:00.000Z',
  finished_at: '2026-11-03T09:04:10.000Z',
  merged_at: '2026-11-03T09:04:12.000Z',
  unique_count: 67,
  done_count: 67,
  status_counts: { valid: 12, invalid: 3, risky: 0, unknown: 52 },
}

const UnknownRerunFields = Type.Object(unknownRerunFields)

const UnknownRerun = Type.Unsafe<Static<typeof UnknownRerunFields> | null>({
  type: ['object', 'null'],
  required: Object.keys(unknownRerunFields),
  properties: unknownRerunFields,
  description: 'The latest rerun of the unknown rows of this job; null if there is none.',
  examples: [null, UNKNOWN_RERUN_EXAMPLE],
})

const TAG_EXAMPLE = 'newsletter'
const TAG_FORM = {
  minLength: 1,
  maxLength: TAG_LENGTH_MAX,
  // No comma, and no white space at the ends.
  pattern: '^[^\\s,]([^,]*[^\\s,])?$',
} as const

export type Job = Static<typeof Job>
export const Job = Type.Object(
  {
    id: JobIdField,
    status: JobStatusField,
    name: Type.String({
      description: 'Name of the job: the file name, until it is changed.',
      examples: ['Newsletter, November'],
    }),
    tags: Type.Array(Type.String(), {
      description: 'Tags of the job, in the order in which they were set.',
      examples: [[TAG_EXAMPLE, 'europe'], []],
    }),
    filename: Type.String({ description: 'Name of the uploaded file.', examples: ['newsletter.csv'] }),
    email_column: Type.String({ description: 'Column with the addresses.', examples: ['email'] }),
    reference: nullableString({
      description: 'The `reference` of the confirmation; null if it had none.',
      examples: ['newsletter-2026-11', null],
    }),
    created_at: Type.String({
      format: 'date-time',
      description: 'When the upload was confirmed (RFC 3339, UTC).',
      examples: ['2026-11-02T12:00:00.000Z'],
    }),
    started_at: nullableTime('When validation of the first address started (RFC 3339, UTC); null before that.'),
    finished_at: nullableTime('When the job was completed or canceled, or failed (RFC 3339, UTC); null until then.'),
    expires_on: Type.String({
      format: 'date',
      description: 'Day (UTC) on which the addresses and their results are deleted. This summary is kept.',
      examples: ['2026-12-02'],
    }),
    row_count: count('Rows of the file, without the header, rows above it and blank lines.', 10500),
    ...LINE_COUNTS,
    ...CELL_OPTION_FIELDS,
    email_count: count('Addresses that are validated, repetitions included.', 10452),
    unique_count: count('Unique addresses among them.', 10000),
    duplicate_count: count('Addresses that repeat an earlier one.', 452),
    done_count: count('Unique addresses that have a result.', 6400),
    progress: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Fraction of the unique addresses that have a result; 1 only if all of them have one.',
      examples: [0.64],
    }),
    rate_per_s: Type.Number({
      minimum: 0,
      description:
        'Addresses finished per second in the last minute; 0 if there were none, and after the job has ended.',
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
    rerun_of: nullableString({
      format: 'uuid',
      description:
        'Id of the earlier job whose file this job validates again, which may be deleted by now; null for a job from an upload.',
      examples: [null, '0198f2d1-93a8-7b05-8f17-04e5d6c2b9a2'],
    }),
    rerun_rows: Type.Unsafe<RerunRows | null>({
      type: ['string', 'null'],
      enum: [...Object.keys(RERUN_ROWS), null],
      description: `Rows of the earlier job that this job validates; null for a job from an upload.${valueList(RERUN_ROWS)}`,
      examples: [null, 'unknown'],
    }),
    merged_at: nullableTime(
      'For a job with `rerun_rows` `unknown`: when its results were merged into the job in `rerun_of` (RFC 3339, UTC); null until then, and for every other job.',
    ),
    rerunnable_count: count(
      'Unique addresses that a rerun with `rows` `unknown` validates: those that are `unknown` for a reason that another validation can change.',
      67,
    ),
    unknown_rerun: UnknownRerun,
    file_expires_at: Type.String({
      format: 'date-time',
      description:
        'When the file is deleted (RFC 3339, UTC). Until then `csv` is available, and the job can be run again.',
      examples: ['2026-11-09T12:00:00.000Z'],
    }),
    livemode: LivemodeField,
  },
  {
    title: 'Bulk job',
    description: 'The asynchronous validation of an uploaded list. Fields may be added.',
    examples: [JOB_EXAMPLE],
  },
)

// No defaults: a validator that applies them would reset settings that the request leaves out.
export type UpdateJob = Static<typeof UpdateJob>
export const UpdateJob = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: JOB_NAME_LENGTH_MAX,
        pattern: '\\S',
        description: 'New name of the job. The name of the file does not change.',
        examples: ['Newsletter, November'],
      }),
    ),
    tags: Type.Optional(
      Type.Array(Type.String({ ...TAG_FORM, description: 'A tag, without commas.', examples: [TAG_EXAMPLE] }), {
        maxItems: TAGS_MAX,
        uniqueItems: true,
        description: `Tags of the job, up to ${TAGS_MAX}. They replace the earlier ones; an empty array removes them.`,
        examples: [[TAG_EXAMPLE, 'europe'], []],
      }),
    ),
  },
  {
    title: 'Update job request',
    description: 'Settings to change, at least one. Settings that are left out keep their value.',
    minProperties: 1,
    additionalProperties: false,
    examples: [{ name: 'Newsletter, November', tags: ['newsletter', 'europe'] }, { tags: [] }],
  },
)

export type JobPage = Static<typeof JobPage>
export const JobPage = Type.Object(
  {
    ...pageQuery('', 'jobs', JOB_PAGE_LIMIT_MAX).properties,
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
          'Only jobs whose `name` or `filename` contains this text, in upper or lower case. Wildcards are not supported.',
        examples: ['newsletter'],
      }),
    ),
    tag: Type.Optional(Type.String({ ...TAG_FORM, description: 'Only jobs with this tag.', examples: [TAG_EXAMPLE] })),
    unknown_reruns: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'Whether to return reruns of unknown rows. `false` omits those whose earlier job exists: their results are merged into it, and its `unknown_rerun` has their progress.',
        examples: [false],
      }),
    ),
  },
  {
    title: 'Page of jobs',
    description: 'Filters the jobs and selects a page. Without parameters the ten newest jobs are returned.',
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
