import type { Static } from 'typebox'
import Type from 'typebox'
import { NON_ADDRESS_REASONS } from '../../constants/jobs.ts'
import { CORRECTIONS_MAX, EMAIL_LENGTH_MAX } from '../../constants/limits.ts'
import { extensibleEnum, pageQuery, valueList } from '../fields.ts'
import { CELL_OPTIONS } from './list-counts.ts'
import { UploadQuery } from './uploads.ts'

export type SheetRequest = Static<typeof SheetRequest>
export const SheetRequest = Type.Object(
  {
    sheet: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The sheet: one of `sheets` of the preview.',
      examples: ['Archive'],
    }),
    ...CELL_OPTIONS,
  },
  {
    title: 'Choose sheet request',
    description: 'The sheet to read instead of the present one.',
    additionalProperties: false,
    examples: [{ sheet: 'Archive' }],
  },
)

export type HeaderRequest = Static<typeof HeaderRequest>
export const HeaderRequest = Type.Object(
  {
    header_row: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: 1,
      maximum: 1_000_000,
      description: 'Number of the row with the column names, as in a spreadsheet; null if the file has none.',
      examples: [3, null],
    }),
    ...CELL_OPTIONS,
  },
  {
    title: 'Choose header request',
    description: 'The row with the column names.',
    additionalProperties: false,
    examples: [{ header_row: 3 }],
  },
)

const rowField = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description: 'Number of the row, as in a spreadsheet.',
  examples: [17],
})

const Correction = Type.Object(
  {
    row: rowField,
    value: Type.String({
      maxLength: EMAIL_LENGTH_MAX,
      description: 'New value of the email column. Empty: the row has no address.',
      examples: ['ada@example.com'],
    }),
  },
  { description: 'One corrected value.', additionalProperties: false },
)

export type CorrectionsRequest = Static<typeof CorrectionsRequest>
export const CorrectionsRequest = Type.Object(
  {
    email_column: UploadQuery.properties.email_column,
    ...CELL_OPTIONS,
    accept_suggestions: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether to accept the suggestions for all cells that `corrections` does not name.',
        examples: [true],
      }),
    ),
    corrections: Type.Array(Correction, {
      maxItems: CORRECTIONS_MAX,
      description: `Up to ${CORRECTIONS_MAX.toLocaleString('en')} corrected values. Rows that do not exist, blank rows and the header are ignored.`,
      examples: [[{ row: 17, value: 'ada@example.com' }]],
    }),
  },
  {
    title: 'Correct upload request',
    description: 'Corrected values of one column: at least one, or all suggestions.',
    additionalProperties: false,
    examples: [{ corrections: [{ row: 17, value: 'ada@example.com' }] }, { corrections: [], accept_suggestions: true }],
  },
)

const { skip, limit } = pageQuery('', 'values').properties

export type NonAddressQuery = Static<typeof NonAddressQuery>
export const NonAddressQuery = Type.Object(
  {
    ...UploadQuery.properties,
    format: Type.Optional(
      Type.Enum(['json', 'csv'], {
        type: 'string',
        default: 'json',
        description: '`json` is one page. `csv` is all values, with the columns `row`, `value` and `reason`.',
        examples: ['csv'],
      }),
    ),
    skip,
    limit,
  },
  {
    title: 'Non address query',
    description: 'The column, and the format of the response. `skip` and `limit` apply to `json` only.',
    examples: [{ email_column: 'work_email' }],
  },
)

const EXAMPLE = { row: 17, value: 'n/a', reason: 'no_address' }

export type NonAddress = Static<typeof NonAddress>
export const NonAddress = Type.Object(
  {
    row: rowField,
    value: Type.String({ description: 'The value.', examples: ['n/a', 'ada@example,com'] }),
    reason: Type.String({
      ...extensibleEnum(NON_ADDRESS_REASONS),
      description: `Why it is not an address. Values may be added.${valueList(NON_ADDRESS_REASONS)}`,
    }),
  },
  { title: 'Non address', description: 'A value that is not an address. Fields may be added.', examples: [EXAMPLE] },
)

const SUGGESTION_EXAMPLE = { row: 17, value: 'Ada <ada@example.net>', suggestion: 'Ada <ada@example.com>' }

export type SuggestionQuery = Static<typeof SuggestionQuery>
export const SuggestionQuery = Type.Object(
  { ...UploadQuery.properties, skip, limit },
  {
    title: 'Suggestion query',
    description: 'The column and the page.',
    examples: [{ email_column: 'work_email' }],
  },
)

export type SuggestionPage = Static<typeof SuggestionPage>
export const SuggestionPage = Type.Array(
  Type.Object(
    {
      row: rowField,
      value: Type.String({ description: 'The cell.', examples: [SUGGESTION_EXAMPLE.value] }),
      suggestion: Type.String({
        description: 'The cell with the domain that was probably meant. To accept it, send it as a correction.',
        examples: [SUGGESTION_EXAMPLE.suggestion],
      }),
    },
    {
      title: 'Domain suggestion',
      description: 'A cell with an address whose domain looks mistyped. Fields may be added.',
      examples: [SUGGESTION_EXAMPLE],
    },
  ),
  {
    title: 'Domain suggestion list',
    description: 'One page of the cells with a mistyped domain, in the order of the rows.',
    examples: [[SUGGESTION_EXAMPLE]],
  },
)

export type NonAddressPage = Static<typeof NonAddressPage>
export const NonAddressPage = Type.Array(NonAddress, {
  title: 'Non address list',
  description: 'One page of the values that are not addresses, in the order of the rows.',
  examples: [[EXAMPLE]],
})

export const NonAddressSheet = Type.String({
  title: 'Non address CSV',
  description: 'All values that are not addresses, with a byte order mark. Each cell is quoted.',
  examples: ['"row","value","reason"\r\n"17","n/a","no_address"\r\n'],
})
