import type { Static } from 'typebox'
import Type from 'typebox'
import { count, nullableCount } from './count.ts'
import { nullableString } from './nullable.ts'
import { pageQuery } from './page.ts'
import { valueList } from './value-list.ts'

/** What a job is doing. */
export const JOB_STATES = {
  queued: 'confirmed and waiting for its turn.',
  planning: 'the file is being read and its addresses are laid out for work.',
  processing: 'addresses are being validated.',
  paused: 'no work is done until the job is resumed; what is finished is kept.',
  completed: 'every address has its result.',
  cancelled: 'stopped on request; finished results are kept and unused credits returned.',
  failed: 'given up because of a fault; unused credits are returned.',
} as const satisfies Record<string, string>

export type JobState = keyof typeof JOB_STATES

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
  },
  {
    title: 'Upload confirmation',
    description: 'Turns an upload into a job.',
    additionalProperties: false,
    examples: [{ upload_id: UPLOAD_ID, email_column: 'email' }],
  },
)

const JobIdField = Type.String({ format: 'uuid', description: 'Names the job.', examples: [JOB_ID] })

// An open list, like the statuses of a result.
const JobStatusField = Type.String({
  description: `What the job is doing. The list is open: treat a state you do not know as one that is still under way.${valueList(JOB_STATES)}`,
  examples: Object.keys(JOB_STATES),
})

export type JobCreated = Static<typeof JobCreated>
export const JobCreated = Type.Object(
  { id: JobIdField, status: JobStatusField },
  {
    title: 'Job created',
    description: 'The job that a confirmed upload became. Fields may be added.',
    examples: [{ id: JOB_ID, status: 'queued' }],
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
    refunded: count('Credits given back so far for addresses that ended `unknown`, where the plan does so.', 155),
  },
  { description: 'What the job costs.' },
)

export type Job = Static<typeof Job>
export const Job = Type.Object(
  {
    id: JobIdField,
    status: JobStatusField,
    filename: Type.String({ description: 'What the uploaded file was called.', examples: ['newsletter.csv'] }),
    created_at: Type.String({
      format: 'date-time',
      description: 'When the upload was confirmed (RFC 3339, UTC).',
      examples: ['2026-11-02T12:00:00.000Z'],
    }),
    started_at: nullableTime('When the first address was taken up (RFC 3339, UTC); null before that.'),
    finished_at: nullableTime('When the job came to its end, whichever it was (RFC 3339, UTC); null until then.'),
    total_rows: nullableCount('Rows of the file whose email cell is not empty; null until they are counted.', 10480),
    unique_emails: nullableCount('Different addresses among the rows; null until they are counted.', 10000),
    duplicate_count: nullableCount('Rows that repeat an earlier address; null until they are counted.', 480),
    done_count: count('Unique addresses that have a result.', 6400),
    status_counts: StatusCounts,
    sub_status_counts: SubStatusCounts,
    credits: JobCredits,
  },
  {
    title: 'Bulk job',
    description: 'A file of addresses on its way through validation. Fields may be added.',
    examples: [
      {
        id: JOB_ID,
        status: 'processing',
        filename: 'newsletter.csv',
        created_at: '2026-11-02T12:00:00.000Z',
        started_at: '2026-11-02T12:00:02.318Z',
        finished_at: null,
        total_rows: 10480,
        unique_emails: 10000,
        duplicate_count: 480,
        done_count: 6400,
        status_counts: { valid: 5210, invalid: 388, risky: 647, unknown: 155 },
        sub_status_counts: {
          mailbox_not_found: 361,
          syntax_error: 27,
          catch_all: 602,
          disposable: 45,
          greylisted: 140,
          blocked: 15,
        },
        credits: { reserved: 3600, used: 6400, refunded: 155 },
      },
    ],
  },
)

export type JobPage = Static<typeof JobPage>
export const JobPage = pageQuery('Page of jobs', 'jobs')

export type JobList = Static<typeof JobList>
export const JobList = Type.Array(Job, {
  title: 'Bulk jobs',
  description: 'One page of the jobs of the account, newest first.',
  examples: [
    [
      {
        id: '0198f2d6-4e11-7f93-8a6c-b25f10d97c38',
        status: 'queued',
        filename: 'leads.csv',
        created_at: '2026-11-02T12:05:17.940Z',
        started_at: null,
        finished_at: null,
        total_rows: null,
        unique_emails: null,
        duplicate_count: null,
        done_count: 0,
        status_counts: { valid: 0, invalid: 0, risky: 0, unknown: 0 },
        sub_status_counts: {},
        credits: { reserved: 0, used: 0, refunded: 0 },
      },
    ],
  ],
})

function nullableTime(description: string) {
  return nullableString({ format: 'date-time', description, examples: ['2026-11-02T12:00:02.318Z', null] })
}
