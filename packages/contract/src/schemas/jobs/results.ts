import type { Static } from 'typebox'
import Type from 'typebox'
import { VALID_EXAMPLE } from '../../constants/data/examples.ts'
import { PRESETS } from '../../constants/data/presets.ts'
import { PRESET_NAMES, RESULT_ROWS_MAX, RESULT_SORTS } from '../../constants/jobs.ts'
import { STATUSES, SUB_STATUSES } from '../../constants/validations.ts'
import { count, extensibleEnum, nullableString, pageQuery } from '../fields.ts'
import { PolicyDecisionField, PolicyNameField } from '../policies.ts'
import { StatusField, SubStatusField } from '../validations/fields.ts'
import { ValidationResult } from '../validations/single.ts'
import { JobParams } from './jobs.ts'
import { positionField } from './list-counts.ts'

const STATUS = `(${Object.keys(STATUSES).join('|')})`
const REASONS = Object.keys(SUB_STATUSES).filter((reason) => reason !== '')
const REASON = `(${REASONS.join('|')})`
const ROW = '[1-9][0-9]{0,9}'

const { skip, limit } = pageQuery('', 'results').properties

export type ResultsQuery = Static<typeof ResultsQuery>
export const ResultsQuery = Type.Object(
  {
    format: Type.Optional(
      Type.Enum(['json', 'ndjson', 'csv', 'xlsx'], {
        type: 'string',
        default: 'json',
        description:
          '`json` is one page. `ndjson` is all results, one JSON object per line. `csv` is the uploaded file with additional columns at the end. `xlsx` is the same as an Excel workbook, in which every cell is text.',
        examples: ['csv'],
      }),
    ),
    status: Type.Optional(
      Type.String({
        pattern: `^${STATUS}(,${STATUS})*$`,
        maxLength: 100,
        description: 'Only results with one of these statuses, separated by commas.',
        examples: ['valid', 'valid,risky'],
      }),
    ),
    sub_status: Type.Optional(
      Type.String({
        pattern: `^${REASON}(,${REASON})*$`,
        maxLength: 1000,
        description: 'Only results with one of these reasons, separated by commas.',
        examples: ['mailbox_not_found', 'catch_all,mailbox_full'],
      }),
    ),
    provider: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'Only results with this provider; an empty value selects results whose provider is not known.',
        examples: ['google'],
      }),
    ),
    domain: Type.Optional(
      Type.String({
        maxLength: 255,
        description:
          'Only results with this domain, in Unicode or as A-labels; an empty value selects results without a domain.',
        examples: ['example.com'],
      }),
    ),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 320,
        description: 'Only addresses that contain this text, in upper or lower case. Wildcards are not supported.',
        examples: ['ada@'],
      }),
    ),
    rows: Type.Optional(
      Type.String({
        pattern: `^${ROW}(,${ROW}){0,${RESULT_ROWS_MAX - 1}}$`,
        maxLength: RESULT_ROWS_MAX * 11,
        description: `Only the results with one of these \`row\` numbers, separated by commas, up to ${RESULT_ROWS_MAX}.`,
        examples: ['2', '2,5,9'],
      }),
    ),
    preset: Type.Optional(
      Type.Enum(PRESET_NAMES, {
        type: 'string',
        description:
          'Only results that this preset keeps or removes, depending on `part`; see `keep_plans` of the breakdown.',
        examples: ['balanced'],
      }),
    ),
    part: Type.Optional(
      Type.Enum(['keep', 'remove', 'left_out'], {
        type: 'string',
        description:
          'Whether to return the results that the `preset` keeps or removes. Default: `keep`. Rows without a result are in neither part. `left_out`, without a preset, returns the rows of the file that were not validated, as CSV or XLSX: with their number, the reason and the value.',
        examples: ['remove'],
      }),
    ),
    policy: Type.Optional(
      Type.With(PolicyNameField, {
        description:
          'Name of a policy, built-in or of the account, that maps each result to `allow`, `review` or `block`: in `policy` of a result, and in the columns `probity_decision` and `probity_reason` of a CSV or XLSX. The policy is evaluated for each request; decisions are not stored.',
      }),
    ),
    sort: Type.Optional(
      Type.Enum([...RESULT_SORTS], {
        type: 'string',
        default: 'row',
        description:
          'Order of the pages; a `-` before the name reverses it. `status` is in the order valid, risky, invalid, unknown. Equal results are in the order of their rows.',
        examples: ['-deliverability'],
      }),
    ),
    skip,
    limit,
    evidence: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Adds `details`, `catchall`, `ai_enhancement` and `evidence`; to a CSV or XLSX as JSON in an additional column, of which an XLSX has the first 32,767 characters. They depend on the time and on cached findings, so two jobs with the same list may differ in them.',
        examples: [true],
      }),
    ),
    bom: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Adds a byte order mark to a CSV, so that Excel detects UTF-8.',
        examples: [true],
      }),
    ),
    keep_bom: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Adds a byte order mark to a CSV if the uploaded file starts with one or is in Windows-1252: these files come from spreadsheet programs, which would read UTF-8 without the mark as another encoding.',
        examples: [true],
      }),
    ),
    unique: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Omits the rows of a CSV or XLSX that repeat the address of an earlier row.',
        examples: [true],
      }),
    ),
    own_columns: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Omits the additional columns of a CSV or XLSX. The email column then has the validated addresses, without display names and `mailto:`, because `probity_email` is omitted too.',
        examples: [true],
      }),
    ),
    formula_safe: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          "Adds a ' before cells of a CSV that a spreadsheet would evaluate as a formula. Turn it off only for programs that need unchanged cells.",
        examples: [false],
      }),
    ),
  },
  {
    title: 'Results query',
    description:
      'Filters of the results and the format of the response. Results must match all filters. `sort`, `skip` and `limit` apply to `json` only.',
    examples: [{ format: 'csv', status: 'valid,risky' }],
  },
)

const { confidence, deliverability, depth, safe_to_send, is_valid, flags, override } = ValidationResult.properties
const { details, catchall, ai_enhancement, evidence } = ValidationResult.properties
const { domain, provider, is_disposable, is_role_based, has_spf, has_dmarc } = details.properties

export const RESULT_EXAMPLE = {
  email: 'ada@example.com',
  row: 2,
  position: 1,
  status: 'valid',
  sub_status: '',
  confidence: 0.985,
  deliverability: 0.985,
  depth: 'smtp',
  safe_to_send: true,
  is_valid: true,
  did_you_mean: null,
  domain: 'example.com',
  provider: 'google',
  is_disposable: false,
  is_role_based: false,
  has_spf: true,
  has_dmarc: true,
  flags: VALID_EXAMPLE.flags,
  override: null,
}

export type Result = Static<typeof Result>
export const Result = Type.Object(
  {
    email: Type.String({
      description: 'The validated address: the one in the cell, without a display name or `mailto:`.',
      examples: ['ada@example.com'],
    }),
    row: Type.Integer({
      minimum: 1,
      description: 'First row of the file that contains the address, numbered as in a spreadsheet.',
      examples: [2],
    }),
    position: positionField,
    status: StatusField,
    sub_status: SubStatusField,
    confidence,
    deliverability,
    depth,
    safe_to_send,
    is_valid,
    did_you_mean: nullableString({
      description:
        'The address that was probably intended, if this one looks mistyped or contains more than an address; null otherwise.',
      examples: ['ada@example.com', null],
    }),
    domain,
    provider,
    is_disposable,
    is_role_based,
    has_spf,
    has_dmarc,
    flags,
    override,
    details: Type.Optional(details),
    catchall: Type.Optional(catchall),
    ai_enhancement: Type.Optional(ai_enhancement),
    evidence: Type.Optional(evidence),
    policy: Type.Optional(PolicyDecisionField),
  },
  {
    title: 'Job result',
    description: 'The verdict on one address of a job. Fields may be added.',
    examples: [RESULT_EXAMPLE],
  },
)

export type ResultParams = Static<typeof ResultParams>
export const ResultParams = Type.Object(
  {
    job_id: JobParams.properties.job_id,
    row: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'The `row` of the result.',
      examples: [2],
    }),
  },
  {
    title: 'Result path',
    description: 'The job and the result.',
    examples: [{ job_id: '0198f2d1-93a8-7b05-8f17-04e5d6c2b9a1', row: 2 }],
  },
)

export type ResultQuery = Static<typeof ResultQuery>
export const ResultQuery = Type.Object(
  {
    position: Type.Optional(
      Type.With(positionField, { description: 'The `position` of the result. Default: the first one of the row.' }),
    ),
  },
  { title: 'Result query', description: 'The position in the cell.', examples: [{ position: 2 }] },
)

export type ResultPage = Static<typeof ResultPage>
export const ResultPage = Type.Array(Result, {
  title: 'Job result list',
  description: 'One page of the results of a job, in the order of the rows of its file or as `sort` says.',
  examples: [[RESULT_EXAMPLE]],
})

export const ResultLines = Type.String({
  title: 'Job result lines',
  description: 'All results of a job in the order of the rows of its file, each as one line of JSON.',
  examples: [`${JSON.stringify(RESULT_EXAMPLE)}\n`],
})

export const ResultSheet = Type.String({
  title: 'Job result CSV',
  description:
    'Every row of the uploaded file with additional columns at the end, which are empty for rows without a result. Each cell is quoted.',
  examples: ['"name","email","probity_status"\r\n"Ada","ada@example.com","valid"\r\n'],
})

export const ResultWorkbook = Type.String({
  format: 'binary',
  title: 'Job result workbook',
  description: 'The same as a workbook (XLSX) with one sheet. All cells are texts, so none is a formula.',
  examples: ['(binary)'],
})

const ReasonCount = Type.Object(
  {
    status: StatusField,
    sub_status: SubStatusField,
    count: count('Unique addresses with this verdict.', 361),
  },
  { description: 'Number of addresses with one reason.' },
)

const COUNTS = {
  count: count('Unique addresses.', 4127),
  valid: count('Unique addresses that are `valid`.', 3502),
  invalid: count('Unique addresses that are `invalid`.', 311),
  risky: count('Unique addresses that are `risky`.', 204),
  unknown: count('Unique addresses that are `unknown`.', 110),
}

const providerField = Type.String({
  description: 'Mailbox provider, as in a result; empty if it is not known.',
  examples: ['google'],
})

const ProviderCounts = Type.Object({ provider: providerField, ...COUNTS }, { description: 'Counts of one provider.' })

const DomainCounts = Type.Object(
  {
    domain: Type.String({ description: 'Domain, as in a result.', examples: ['example.com'] }),
    provider: providerField,
    ...COUNTS,
  },
  { description: 'Counts of one domain.' },
)

const share = (description: string, example: number) =>
  Type.Number({ minimum: 0, maximum: 1, description, examples: [example] })

const KeepPlan = Type.Object(
  {
    preset: Type.String({
      title: 'Preset',
      ...extensibleEnum(PRESETS),
      description: 'Name of the preset, as in the results query and the CLI. Values may be added.',
    }),
    keep_count: count('Unique addresses that the preset keeps.', 5842),
    remove_count: count('Unique addresses that the preset removes.', 558),
    expected_bounce_rate: Type.Object(
      {
        low: share('Lower bound of the bounce rate.', 0.0102),
        high: share('Upper bound of the bounce rate.', 0.0944),
      },
      {
        description: 'Expected bounce rate of the kept addresses. Provisional: estimated with a fixed rate per reason.',
      },
    ),
    keeps: Type.Array(Type.String(), {
      description:
        'Reasons (`sub_status`) of which the preset keeps addresses; the empty value is `valid`. `safest` keeps only addresses that are `safe_to_send`.',
      examples: [['', 'catch_all', 'provider_unverifiable']],
    }),
  },
  { description: 'Effect of one preset on the list.' },
)

const GOOGLE = { provider: 'google', count: 4127, valid: 3502, invalid: 311, risky: 204, unknown: 110 }

export type Breakdown = Static<typeof Breakdown>
export const Breakdown = Type.Object(
  {
    by_reason: Type.Array(ReasonCount, { description: 'All verdicts that occurred, most frequent first.' }),
    by_provider: Type.Array(ProviderCounts, { description: 'All providers, largest first.' }),
    by_domain: Type.Array(DomainCounts, {
      description: 'The 20 domains with the most addresses, largest first. Addresses without a domain are not counted.',
    }),
    keep_plans: Type.Array(KeepPlan, {
      description: 'Addresses that each preset keeps and removes, strictest preset first.',
    }),
  },
  {
    title: 'Job breakdown',
    description:
      'Counts of the results of a job by reason, provider, domain and preset. While the job is in progress, the results so far. Fields may be added.',
    examples: [
      {
        by_reason: [
          { status: 'valid', sub_status: '', count: 5240 },
          { status: 'risky', sub_status: 'catch_all', count: 602 },
        ],
        by_provider: [GOOGLE],
        by_domain: [{ domain: 'example.com', ...GOOGLE }],
        keep_plans: [
          {
            preset: 'balanced',
            keep_count: 5842,
            remove_count: 558,
            expected_bounce_rate: { low: 0.0096, high: 0.0861 },
            keeps: ['', 'catch_all', 'provider_unverifiable'],
          },
        ],
      },
    ],
  },
)
