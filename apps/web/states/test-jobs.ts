import { JOB_EXAMPLE } from '@probity/contract/constants/data/examples'
import { SUB_STATUSES, type SubStatus } from '@probity/contract/constants/validations'
import type { Job } from '@probity/contract/schemas/jobs/jobs'
import type { Report } from '@probity/contract/schemas/jobs/reports'
import { Breakdown, Result } from '@probity/contract/schemas/jobs/results'
import { NonAddress } from '@probity/contract/schemas/jobs/upload-changes'
import { Upload, UploadPreview } from '@probity/contract/schemas/jobs/uploads'
import { ValidationResult } from '@probity/contract/schemas/validations/single'
import { sandboxResult } from '@probity/contract/schemas/validations/stored-result'
import { exampleOf, inHours } from './test-examples.ts'

export const RUNNING_JOB: Job = {
  ...JOB_EXAMPLE,
  eta: { earliest_at: inHours(0.05), latest_at: inHours(1.5) },
  deferred: [{ reason: 'greylisted', count: 312, retry_at: inHours(0.2), last_retry_at: inHours(1.5) }],
}
/** Only deferred addresses have no result. */
export const RETRYING_JOB: Job = { ...RUNNING_JOB, done_count: 9_688, progress: 0.9688, rate_per_s: 0 }
export const QUEUED_JOB: Job = {
  ...RUNNING_JOB,
  status: 'queued',
  created_at: inHours(-1),
  started_at: null,
  done_count: 0,
  progress: 0,
  rate_per_s: 0,
  eta: null,
  deferred: [],
}
export const PAUSED_JOB: Job = { ...RUNNING_JOB, status: 'paused', rate_per_s: 0, eta: null, deferred: [] }
export const FINISHED_JOB: Job = {
  ...PAUSED_JOB,
  id: '0198f2d1-93a8-7b05-8f17-04e5d6c2b9a2',
  name: 'customers.csv',
  filename: 'customers.csv',
  status: 'completed',
  finished_at: '2026-11-02T12:03:07.412Z',
  done_count: 10_000,
  progress: 1,
  status_counts: { valid: 8_810, invalid: 388, risky: 647, unknown: 155 },
  credits: { reserved: 0, used: 10_000, refunded: 155, charged: 9_845 },
  file_expires_at: inHours(100),
}

/** The same with results that another validation cannot change. */
export const PARTLY_LASTING_JOB: Job = {
  ...FINISHED_JOB,
  sub_status_counts: { ...FINISHED_JOB.sub_status_counts, provider_unverifiable: 120, timeout: 67 },
  status_counts: { ...FINISHED_JOB.status_counts, valid: 8_778, unknown: 187 },
  rerunnable_count: 67,
}

export const RERUN_ID = '0198f2d4-0a1c-7f3e-9b55-6e1d2c3b4a59'

const RERUN: NonNullable<Job['unknown_rerun']> = {
  id: RERUN_ID,
  status: 'processing',
  created_at: inHours(-0.1),
  finished_at: null,
  merged_at: null,
  unique_count: 67,
  done_count: 23,
  status_counts: { valid: 5, invalid: 1, risky: 0, unknown: 17 },
}

export const RERUNNING_JOB: Job = { ...PARTLY_LASTING_JOB, unknown_rerun: RERUN }
export const MERGING_JOB: Job = {
  ...RERUNNING_JOB,
  unknown_rerun: { ...RERUN, status: 'completed', finished_at: inHours(0), done_count: 67 },
}
export const MERGED_JOB: Job = {
  ...PARTLY_LASTING_JOB,
  status_counts: { ...FINISHED_JOB.status_counts, valid: 8_790, invalid: 391, unknown: 172 },
  sub_status_counts: { ...FINISHED_JOB.sub_status_counts, provider_unverifiable: 120, timeout: 52 },
  rerunnable_count: 52,
  unknown_rerun: {
    ...RERUN,
    status: 'completed',
    finished_at: '2026-11-19T09:04:10.000Z',
    merged_at: '2026-11-19T09:04:12.000Z',
    done_count: 67,
    status_counts: { valid: 12, invalid: 3, risky: 0, unknown: 52 },
  },
}

/** An earlier list from the same file. */
export const EARLIER_JOB: Job = {
  ...FINISHED_JOB,
  id: '0198f2d1-93a8-7b05-8f17-04e5d6c2b9a3',
  created_at: '2026-10-02T12:00:00.000Z',
}

/** A report with more reasons and providers than its tables have rows. */
export const REPORT: Report = {
  name: 'customers.csv',
  status: 'completed',
  created_at: FINISHED_JOB.created_at,
  finished_at: '2026-11-02T12:03:07.412Z',
  link_expires_at: inHours(700),
  livemode: true,
  ...{ line_count: 10_520, blank_count: 20, row_count: 10_500, empty_count: 20, not_address_count: 28 },
  ...{ left_out_count: 0, extra_address_count: 0 },
  unique_count: 10_000,
  duplicate_count: 452,
  status_counts: FINISHED_JOB.status_counts,
  by_reason: Object.entries(SUB_STATUSES).map(([sub_status, { status }]) => ({ status, sub_status, count: 400 })),
  by_provider: ['google', 'microsoft', 'yahoo', 'apple', 'gmx', 'zoho', 'proton', 'yandex', 'mail_ru', ''].map(
    (provider) => ({ provider, count: 1_000, valid: 881, risky: 65, invalid: 38, unknown: 16 }),
  ),
}

export const UPLOAD: Upload = { ...exampleOf(Upload), expires_at: inHours(20) }
export const PREVIEW: UploadPreview = { ...exampleOf(UploadPreview), expires_at: inHours(20) }
export const WORKBOOK_PREVIEW: UploadPreview = {
  ...PREVIEW,
  filename: 'customers.xlsx',
  sheets: ['Contacts', 'Archive'],
  sheet: 'Contacts',
}
export const REPEATED_PREVIEW: UploadPreview = {
  ...PREVIEW,
  same_file_job: {
    id: '0198f2d1-93a8-7b05-8f17-04e5d6c2b9a2',
    filename: 'customers.csv',
    email_column: 'email',
    created_at: inHours(-2),
    credits_used: 9_845,
  },
}
export const NON_ADDRESSES: NonAddress[] = [
  exampleOf(NonAddress),
  { row: 31, value: 'ada@example,com', reason: 'syntax_error' },
]

const RESULT = exampleOf(Result)
export const RESULT_DETAIL: Result = {
  ...RESULT,
  details: exampleOf(ValidationResult).details,
  catchall: exampleOf(ValidationResult).catchall,
  ai_enhancement: exampleOf(ValidationResult).ai_enhancement,
  evidence: exampleOf(ValidationResult).evidence,
}

/** One result of each status. */
export const RESULTS: Result[] = [
  RESULT,
  {
    ...RESULT,
    row: 3,
    email: 'grace@exmaple.com',
    status: 'invalid',
    sub_status: 'mailbox_not_found',
    deliverability: 0.01,
    safe_to_send: false,
    did_you_mean: 'grace@example.com',
    override: 'block',
  },
  {
    ...RESULT,
    row: 4,
    email: 'info@example.org',
    status: 'risky',
    sub_status: 'catch_all',
    provider: '',
    is_role_based: true,
  },
  { ...RESULT, row: 5, email: 'alan@example.net', status: 'unknown', sub_status: 'greylisted', safe_to_send: false },
]

export const BREAKDOWN: Breakdown = {
  ...exampleOf(Breakdown),
  keep_plans: [
    {
      preset: 'safest',
      keep_count: 8_200,
      remove_count: 1_800,
      expected_bounce_rate: { low: 0.001, high: 0.01 },
      keeps: [''],
    },
    ...exampleOf(Breakdown).keep_plans,
  ],
}

export const VALIDATION: ValidationResult = exampleOf(ValidationResult)

/** The result of a validation with this reason. */
export function validationOf(email: string, subStatus: SubStatus): ValidationResult {
  return { ...VALIDATION, ...sandboxResult(email, { subStatus }), override: null }
}
