import { JOB_EXAMPLE } from '@probity/contract/constants/data/examples'
import { SUB_STATUSES, type SubStatus } from '@probity/contract/constants/validations'
import type { Job } from '@probity/contract/schemas/jobs/jobs'
import type { Report } from '@probity/contract/schemas/jobs/reports'
import { Breakdown, Result } from '@probity/contract/schemas/jobs/results'
import { NonAddress, type SuggestionPage } from '@probity/contract/schemas/jobs/upload-changes'
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

/** A list with lines of every kind. Its counts close. */
export const MESSY_JOB: Job = {
  ...FINISHED_JOB,
  name: 'contacts.xlsx',
  filename: 'contacts.xlsx',
  email_column: 'E-mail',
  ...{ line_count: 2_000, blank_count: 40, row_count: 1_960, empty_count: 20, not_address_count: 37 },
  ...{ left_out_count: 12, extra_address_count: 18, several_addresses: 'all', malformed: 'skip' },
  ...{ email_count: 1_909, duplicate_count: 247, unique_count: 1_662, done_count: 1_662 },
  status_counts: { valid: 1_157, invalid: 241, risky: 77, unknown: 187 },
  credits: { reserved: 0, used: 1_662, refunded: 187, charged: 1_475 },
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
  ...{ left_out_count: 0, extra_address_count: 0, several_addresses: 'all' },
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
/** The file of MESSY_JOB. */
export const MESSY_PREVIEW: UploadPreview = {
  ...PREVIEW,
  filename: 'contacts.xlsx',
  columns: ['Name', 'E-mail', 'City'],
  suggested_email_column: 'E-mail',
  email_column: 'E-mail',
  column_details: [
    { name: 'Name', filled_count: 1_940, address_count: 0, address_share: 0 },
    { name: 'E-mail', filled_count: 1_940, address_count: 1_891, address_share: 0.9747 },
    { name: 'City', filled_count: 1_204, address_count: 0, address_share: 0 },
  ],
  sample_rows: [
    ['Amir Cooper', 'amir.cooper @ bronze-books.example', 'Leeds'],
    ['Omar Ahmed', 'omarahmed@outlook.com; plowe@summer-legal.example', 'Cairo'],
    ['Dana Weiss', 'dana.weiss@gmial.com', ''],
  ],
  header_row: 3,
  first_rows: [
    { row: 1, values: ['Contacts export 2026', '', ''] },
    { row: 2, values: ['as of 2 November', '', ''] },
    { row: 3, values: ['Name', 'E-mail', 'City'] },
    { row: 4, values: ['Amir Cooper', 'amir.cooper @ bronze-books.example', 'Leeds'] },
    { row: 5, values: ['Omar Ahmed', 'omarahmed@outlook.com; plowe@summer-legal.example', 'Cairo'] },
    { row: 7, values: ['Dana Weiss', 'dana.weiss@gmial.com', ''] },
  ],
  sheets: ['Contacts', 'Archive'],
  sheet: 'Contacts',
  ...{ line_count: 2_000, blank_count: 40, row_count: 1_960, empty_count: 20, not_address_count: 37 },
  ...{ left_out_count: 12, extra_address_count: 18, several_addresses: 'all', malformed: 'skip' },
  ...{ email_count: 1_909, duplicate_count: 247, unique_count: 1_662, extracted_count: 268 },
  not_address_examples: [{ row: 19, value: 'n/a' }],
  malformed_count: 12,
  repaired_count: 78,
  repaired_examples: [
    { row: 4, value: 'amir.cooper @ bronze-books.example', email: 'amir.cooper@bronze-books.example' },
    { row: 14, value: 'daria.lehmann@opal\u200b-software.example', email: 'daria.lehmann@opal-software.example' },
    { row: 26, value: 'dimitri-kraus(at)yahoo.com', email: 'dimitri-kraus@yahoo.com' },
    { row: 41, value: 'MATHILDE.BERG@gmx,de', email: 'MATHILDE.BERG@gmx.de' },
    { row: 118, value: 'samir.zimmer99\u00a0@\u00a0yahoo.com', email: 'samir.zimmer99@yahoo.com' },
  ],
  suggestion_count: 12,
  provider_mix: [
    { provider: '', count: 654 },
    { provider: 'google', count: 465 },
    { provider: 'microsoft', count: 225 },
    { provider: 'yahoo', count: 118 },
    { provider: 'gmx', count: 200 },
  ],
  credits: { quote: 1_662, available: 99_984, unlimited: false },
}
/** What the options of the review change. */
export const MALFORMED_PREVIEW: UploadPreview = {
  ...MESSY_PREVIEW,
  ...{ several_addresses: 'first', malformed: 'validate' },
  ...{ left_out_count: 18, email_count: 1_903, duplicate_count: 245, unique_count: 1_658 },
  credits: { ...MESSY_PREVIEW.credits, quote: 1_658 },
}
export const SUGGESTIONS: SuggestionPage = [
  ['dana.weiss@gmial.com', 'dana.weiss@gmail.com'],
  ['Yusuf Garnier <yusuf@hotmial.com>', 'Yusuf Garnier <yusuf@hotmail.com>'],
  ['erika.fields56@gmail.con', 'erika.fields56@gmail.com'],
  ['ecraig@yaho.com', 'ecraig@yahoo.com'],
  ['flora.mason@outlok.com', 'flora.mason@outlook.com'],
].map(([value = '', suggestion = ''], n) => ({ row: 7 + 11 * n, value, suggestion }))
export const NON_ADDRESSES: NonAddress[] = [
  exampleOf(NonAddress),
  { row: 31, value: 'ada@example', reason: 'syntax_error' },
  { row: 35, value: 'julia@@opal\u200b..example', reason: 'syntax_error' },
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
  // The second address of the cell.
  {
    ...RESULT,
    row: 4,
    position: 2,
    email: 'alan@example.net',
    status: 'unknown',
    sub_status: 'greylisted',
    safe_to_send: false,
  },
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

/** The plans of MESSY_JOB. */
export const MESSY_BREAKDOWN: Breakdown = {
  ...BREAKDOWN,
  keep_plans: [
    ['safest', 1_119, 0.005, 0.05],
    ['balanced', 1_328, 0.008, 0.104],
    ['all_but_bounces', 1_421, 0.016, 0.141],
  ].map(([preset, keep, low, high]) => ({
    preset: String(preset),
    keep_count: Number(keep),
    remove_count: 1_662 - Number(keep),
    expected_bounce_rate: { low: Number(low), high: Number(high) },
    keeps: [''],
  })),
}

export const VALIDATION: ValidationResult = exampleOf(ValidationResult)

/** The result of a validation with this reason. */
export function validationOf(email: string, subStatus: SubStatus): ValidationResult {
  return { ...VALIDATION, ...sandboxResult(email, { subStatus }), override: null }
}
