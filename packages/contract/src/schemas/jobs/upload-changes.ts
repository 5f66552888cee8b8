import type { Static } from 'typebox'
import Type from 'typebox'
import { NON_ADDRESS_REASONS } from '../../constants/jobs.ts'
import { CORRECTIONS_MAX, EMAIL_LENGTH_MAX } from '../../constants/limits.ts'
import { extensibleEnum, pageQuery, valueList } from '../fields.ts'
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
  },
  {
    title: 'Choose sheet request',
    description: 'The sheet to read instead of the present one.',
    additionalProperties: false,
    examples: [{ sheet: 'Archive' }],
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
    corrections: Type.Array(Correction, {
      minItems: 1,
      maxItems: CORRECTIONS_MAX,
      description: `Up to ${CORRECTIONS_MAX.toLocaleString('en')} corrected values. Rows that do not exist, blank rows and the header are ignored.`,
      examples: [[{ row: 17, value: 'ada@example.com' }]],
    }),
  },
  {
    title: 'Correct upload request',
    description: 'Corrected values of one column.',
    additionalProperties: false,
    examples: [{ corrections: [{ row: 17, value: 'ada@example.com' }] }],
  },
)

const { skip, limit } = pageQuery('', 'values').properties

export type NonAddressQuery = Static<typeof NonAddressQuery>
export const NonAddressQuery = Type.Object(
  {
    email_column: UploadQuery.properties.email_column,
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
