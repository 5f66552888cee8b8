import type { Static } from 'typebox'
import Type from 'typebox'
import { nullableString } from './nullable.ts'
import { pageQuery } from './page.ts'
import { STATUSES, StatusField, SubStatusField } from './status.ts'
import { ValidationResult } from './validation.ts'
import { VALID_EXAMPLE } from './validation-examples.ts'

const STATUS = `(${Object.keys(STATUSES).join('|')})`

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
    description: 'Which results, and how they are written. `skip` and `limit` are for `json` alone.',
    examples: [{ format: 'csv', status: 'valid,risky' }],
  },
)

const { confidence, safe_to_send, is_valid, flags, details, catchall, ai_enhancement, evidence } =
  ValidationResult.properties
const { domain, provider, is_disposable, is_role_based, has_spf, has_dmarc } = details.properties

const STABLE_EXAMPLE = {
  email: 'ada@example.com',
  row: 2,
  status: 'valid',
  sub_status: '',
  confidence: 0.97,
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
}

export type Result = Static<typeof Result>
export const Result = Type.Object(
  {
    email: Type.String({ description: 'The address as it stands in the file.', examples: ['ada@example.com'] }),
    row: Type.Integer({
      minimum: 1,
      description: 'The row of the file where the address occurs first, as a spreadsheet numbers it.',
      examples: [2],
    }),
    status: StatusField,
    sub_status: SubStatusField,
    confidence,
    safe_to_send,
    is_valid,
    did_you_mean: nullableString({
      description: 'The address that was probably intended, when this one looks mistyped; null otherwise.',
      examples: ['ada@example.com', null],
    }),
    domain,
    provider,
    is_disposable,
    is_role_based,
    has_spf,
    has_dmarc,
    flags,
    details: Type.Optional(details),
    catchall: Type.Optional(catchall),
    ai_enhancement: Type.Optional(ai_enhancement),
    evidence: Type.Optional(evidence),
  },
  {
    title: 'List result',
    description: 'The verdict on one address of a list. Fields may be added.',
    examples: [STABLE_EXAMPLE],
  },
)

export type ResultPage = Static<typeof ResultPage>
export const ResultPage = Type.Array(Result, {
  title: 'List results',
  description: 'One page of the results of a job, in the order of the rows of its file.',
  examples: [[STABLE_EXAMPLE]],
})

export const ResultLines = Type.String({
  title: 'Result lines',
  description: 'All results of a job in the order of the rows of its file, each as one line of JSON.',
  examples: [`${JSON.stringify(STABLE_EXAMPLE)}\n`],
})

export const ResultSheet = Type.String({
  title: 'Result sheet',
  description:
    'Every row of the uploaded file, each cell in quotes, with our columns behind its own; empty ones where there is no result.',
  examples: ['"name","email","probity_status"\r\n"Ada","ada@example.com","valid"\r\n'],
})
