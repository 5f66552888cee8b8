import type { Static } from 'typebox'
import Type from 'typebox'
import { JobParams } from './bulk.ts'
import { nullableString } from './nullable.ts'
import { pageQuery } from './page.ts'
import { PolicyDecisionField, PolicyNameField } from './policies.ts'
import { PRESET_NAMES } from './preset.ts'
import { STATUSES, SUB_STATUSES } from './status.ts'
import { StatusField, SubStatusField } from './status-fields.ts'
import { ValidationResult } from './validation.ts'
import { VALID_EXAMPLE } from './validation-examples.ts'

const STATUS = `(${Object.keys(STATUSES).join('|')})`
const REASONS = Object.keys(SUB_STATUSES).filter((reason) => reason !== '')
const REASON = `(${REASONS.join('|')})`

const { skip, limit } = pageQuery('', 'results').properties

export type ResultsQuery = Static<typeof ResultsQuery>
export const ResultsQuery = Type.Object(
  {
    format: Type.Optional(
      Type.Enum(['json', 'ndjson', 'csv'], {
        type: 'string',
        default: 'json',
        description:
          '`json` is one page. `ndjson` is all results, one JSON object per line. `csv` is the uploaded file with our columns behind its own.',
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
        description: 'Only results with this provider; an empty text means those whose provider is not known.',
        examples: ['google'],
      }),
    ),
    domain: Type.Optional(
      Type.String({
        maxLength: 255,
        description: 'Only results with this domain, in letters of any script; an empty text means those without one.',
        examples: ['example.com'],
      }),
    ),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 320,
        description: 'Only addresses that hold this text, in upper or lower case. No character stands for others.',
        examples: ['ada@'],
      }),
    ),
    preset: Type.Optional(
      Type.Enum(PRESET_NAMES, {
        type: 'string',
        description:
          'Only the `part` of the results that this preset keeps or removes; `keep_plans` of the breakdown say which.',
        examples: ['balanced'],
      }),
    ),
    part: Type.Optional(
      Type.Enum(['keep', 'remove'], {
        type: 'string',
        description:
          'Which part, of the two that a `preset` makes of the results; `keep` if left out. Rows without a result are in neither.',
        examples: ['remove'],
      }),
    ),
    policy: Type.Optional(
      Type.With(PolicyNameField, {
        description:
          'The name of a policy, built in or of the account, to turn each result into `allow`, `review` or `block`: in `policy` of a result, and as `probity_decision` and `probity_reason` in a CSV. It is decided anew each time and kept nowhere.',
      }),
    ),
    skip,
    limit,
    evidence: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Adds all that is known: `details`, `catchall`, `ai_enhancement` and `evidence`; to a CSV as JSON in one more column. These depend on the time and on what was known before, so two runs over the same list may differ in them.',
        examples: [true],
      }),
    ),
    bom: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Begins a CSV with a byte order mark, by which Excel knows UTF-8.',
        examples: [true],
      }),
    ),
    formula_safe: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          "Puts a ' before what a spreadsheet would take for a formula in a CSV. Turn it off only for programs that need every cell as it was.",
        examples: [false],
      }),
    ),
  },
  {
    title: 'Results query',
    description:
      'Which results, and how they are written. A result must pass all filters that are given. `skip` and `limit` are for `json` alone.',
    examples: [{ format: 'csv', status: 'valid,risky' }],
  },
)

const { confidence, deliverability, depth, safe_to_send, is_valid, flags, override } = ValidationResult.properties
const { details, catchall, ai_enhancement, evidence } = ValidationResult.properties
const { domain, provider, is_disposable, is_role_based, has_spf, has_dmarc } = details.properties

export const RESULT_EXAMPLE = {
  email: 'ada@example.com',
  row: 2,
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
      description:
        'The address that was validated: the one in the cell, without a display name or `mailto:` around it.',
      examples: ['ada@example.com'],
    }),
    row: Type.Integer({
      minimum: 1,
      description: 'The row of the file where the address occurs first, as a spreadsheet numbers it.',
      examples: [2],
    }),
    status: StatusField,
    sub_status: SubStatusField,
    confidence,
    deliverability,
    depth,
    safe_to_send,
    is_valid,
    did_you_mean: nullableString({
      description:
        'The address that was probably intended, when this one looks mistyped or holds more than an address; null otherwise.',
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
    description: 'The verdict on one address of a list. Fields may be added.',
    examples: [RESULT_EXAMPLE],
  },
)

export type ResultParams = Static<typeof ResultParams>
export const ResultParams = Type.Object(
  {
    job_id: JobParams.properties.job_id,
    row: Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647, // what PostgreSQL's integer holds
      description: 'The `row` of the result.',
      examples: [2],
    }),
  },
  {
    title: 'Result path',
    description: 'Which result of which job is meant.',
    examples: [{ job_id: '0198f2d1-93a8-7b05-8f17-04e5d6c2b9a1', row: 2 }],
  },
)

export type ResultPage = Static<typeof ResultPage>
export const ResultPage = Type.Array(Result, {
  title: 'Job result list',
  description: 'One page of the results of a job, in the order of the rows of its file.',
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
    'Every row of the uploaded file, each cell in quotes, with our columns behind its own; empty ones where there is no result.',
  examples: ['"name","email","probity_status"\r\n"Ada","ada@example.com","valid"\r\n'],
})
