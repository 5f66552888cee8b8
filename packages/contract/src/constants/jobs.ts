import { LASTING_REASONS } from './data/lasting-reasons.ts'
import { BOUNCE_RANGES, type BounceRange, PRESETS, type PresetRule } from './data/presets.ts'
import type { OverrideAction } from './policies.ts'
import { SUB_STATUSES } from './validations.ts'

/** States of a job. */
export const JOB_STATES = {
  queued: 'confirmed and waiting to be processed.',
  planning: 'the file is being read and divided into batches.',
  processing: 'addresses are being validated.',
  paused: 'no addresses are validated until the job is resumed; finished results are kept.',
  completed: 'every address has its result.',
  canceled: 'canceled on request; finished results are kept and unused credits are released.',
  failed: 'stopped because of an error; unused credits are released.',
} as const satisfies Record<string, string>

export type JobState = keyof typeof JOB_STATES

/** Reasons for the suggestion of a column. */
export const SUGGESTION_REASONS = {
  most_addresses: 'it has the most values that look like addresses.',
  most_addresses_and_name: 'it has the most values that look like addresses, and its header contains mail.',
  several_columns: 'it has the most addresses, but other columns contain addresses too: ask the user to choose.',
  name_only: 'its header is email, but fewer than a fifth of its values look like addresses.',
} as const satisfies Record<string, string>

/** Reasons why a value of an upload is not an address. */
export const NON_ADDRESS_REASONS = {
  no_address: 'text without an address. It is neither validated nor charged.',
  syntax_error:
    'an address with a syntax error that no repair can correct. With `malformed` `validate` its result is `invalid`, and it costs one credit; with `skip` it is left out.',
} as const satisfies Record<string, string>

/** Which addresses of a cell are validated. */
export const SEVERAL_ADDRESSES = {
  first: 'the first address of a cell.',
  all: 'all addresses of a cell, each with a result of its own.',
} as const satisfies Record<string, string>

export type SeveralAddresses = keyof typeof SEVERAL_ADDRESSES

/** What happens to values that are meant as an address and have a syntax error. */
export const MALFORMED_OPTIONS = {
  validate: 'the result is `invalid` with the reason `syntax_error`, and costs one credit.',
  skip: 'the value is left out: neither validated nor charged.',
} as const satisfies Record<string, string>

export type MalformedOption = keyof typeof MALFORMED_OPTIONS

/** Why a row of a file, or a value of its cell, was not validated. */
export const LEFT_OUT_REASONS = {
  above_header: 'the row is above the header',
  empty: 'the cell is empty',
  no_address: 'the cell has text without an address',
  malformed: 'the value has a syntax error',
  another_address: 'the value follows another one in its cell, and only the first one is validated',
} as const satisfies Record<string, string>

export type LeftOutReason = keyof typeof LEFT_OUT_REASONS

/** Reasons why validation makes no progress. */
export const DELAY_REASONS = {
  no_worker: 'no worker is running. Work continues where it stopped as soon as one runs.',
} as const satisfies Record<string, string>

export type DelayReason = keyof typeof DELAY_REASONS

/** Reasons why a job makes no progress. */
export const JOB_DELAY_REASONS = {
  ...DELAY_REASONS,
  under_review:
    'the abuse limits paused the job: an operator reviews the list and then releases or cancels it. The job cannot be resumed meanwhile.',
} as const satisfies Record<string, string>

export type JobDelayReason = keyof typeof JOB_DELAY_REASONS

/** The rows of an earlier job that a new job from the same file validates. */
export const RERUN_ROWS = {
  all: 'every row of the file.',
  unknown: 'only the rows whose result is `unknown` for a reason that another validation can change.',
} as const satisfies Record<string, string>

export type RerunRows = keyof typeof RERUN_ROWS

/** Why another validation cannot change an unknown result; undefined if it can, also for a reason that this version does not know. */
export function lastingReason(subStatus: string): string | undefined {
  return (LASTING_REASONS as Partial<Record<string, string | null>>)[subStatus] ?? undefined
}

/** The fields by which a page of results can be sorted. A `-` before the name reverses the order. */
const RESULT_SORT_FIELDS = ['row', 'status', 'sub_status', 'provider', 'domain', 'deliverability'] as const
export type ResultSortField = (typeof RESULT_SORT_FIELDS)[number]
type ResultSort = ResultSortField | `-${ResultSortField}`
export const RESULT_SORTS: readonly ResultSort[] = RESULT_SORT_FIELDS.flatMap((field) => [field, `-${field}` as const])

/** Maximum number of rows that a request for results can name. */
export const RESULT_ROWS_MAX = 100

export type PresetName = keyof typeof PRESETS
export const PRESET_NAMES = Object.keys(PRESETS) as PresetName[]

/** The fields of a result that presets use. A row without an address has empty texts. */
export type PresetInput = { status: string; subStatus: string; safeToSend: boolean; override?: OverrideAction | null }

/** A result is kept if it matches one of these rules. */
export function presetRules(preset: PresetName): readonly PresetRule[] {
  return PRESETS[preset]
}

/** An override of the account decides first, but an `invalid` address is never kept. */
export function isKept(preset: PresetName, { status, subStatus, safeToSend, override }: PresetInput): boolean {
  if (override === 'block') return false
  if (override === 'allow') return status !== 'invalid'
  return presetRules(preset).some(
    (line) =>
      line.status === status &&
      (line.reason === undefined || line.reason === subStatus) &&
      (line.safeToSend === undefined || safeToSend),
  )
}

/** The reasons of which a preset keeps at least some results. */
export function keptReasons(preset: PresetName): string[] {
  return Object.entries(SUB_STATUSES)
    .filter(([subStatus, { status }]) => isKept(preset, { status, subStatus, safeToSend: true }))
    .map(([subStatus]) => subStatus)
}

/** Range for a reason that is missing in the table and may be newer than it. */
const ANYTHING: BounceRange = { low: 0, high: 1 }

/** Expected bounce rate of these addresses as a range; undefined without addresses. */
export function expectBounces(addresses: readonly { subStatus: string; count: number }[]): BounceRange {
  const total = addresses.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) return { low: 0, high: 0 }
  const share = (end: keyof BounceRange) => {
    const bounces = addresses.reduce((sum, { subStatus, count }) => sum + rangeOf(subStatus)[end] * count, 0)
    return Math.round((bounces / total) * 10_000) / 10_000
  }
  return { low: share('low'), high: share('high') }
}

function rangeOf(subStatus: string): BounceRange {
  return (BOUNCE_RANGES as Partial<Record<string, BounceRange>>)[subStatus] ?? ANYTHING
}
/** Positions of a row in the numbers of its results. A cell has up to 4 KiB, and an address at least three characters and a separator. */
const POSITIONS_PER_ROW = 1_024

/**
 * The number of a result of a job: the row of the file, and the position of the value in its cell, from 0. It fits into 31 bits, because a
 * file has up to 1,000,000 lines.
 */
export function resultNoOf(row: number, position: number): number {
  return row * POSITIONS_PER_ROW + position
}

export function rowOf(resultNo: number): number {
  return Math.floor(resultNo / POSITIONS_PER_ROW)
}

export function positionOf(resultNo: number): number {
  return resultNo % POSITIONS_PER_ROW
}
