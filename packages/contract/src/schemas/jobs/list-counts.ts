import Type from 'typebox'
import {
  MALFORMED_OPTIONS,
  type MalformedOption,
  SEVERAL_ADDRESSES,
  type SeveralAddresses,
} from '../../constants/jobs.ts'
import { count, valueList } from '../fields.ts'

/** The sum of a list: `line_count` and `extra_address_count` are what the others add up to. */
export const LINE_COUNTS = {
  line_count: count('Lines of the file below the header, blank ones included.', 10520),
  blank_count: count('Blank lines.', 20),
  empty_count: count('Rows in which the column is empty; they are not charged.', 20),
  not_address_count: count(
    'Rows in which the column contains text without an address. They are not validated and not charged.',
    28,
  ),
  left_out_count: count(
    'Values that are not validated and not charged: malformed ones if `malformed` is `skip`, and all but the first one of a cell if `several_addresses` is `first`.',
    0,
  ),
  extra_address_count: count(
    'Values that follow another one in their cell. `line_count` and `extra_address_count` together equal the sum of `blank_count`, `empty_count`, `not_address_count`, `left_out_count`, `duplicate_count` and `unique_count`.',
    0,
  ),
}

const SEVERAL_FIELD = {
  type: 'string',
  enum: Object.keys(SEVERAL_ADDRESSES),
  description: `Which addresses of a cell are validated.${valueList(SEVERAL_ADDRESSES)}`,
  examples: ['all'],
} as const
const MALFORMED_FIELD = {
  type: 'string',
  enum: Object.keys(MALFORMED_OPTIONS),
  description: `What happens to values with a syntax error that no repair can correct.${valueList(MALFORMED_OPTIONS)}`,
  examples: ['skip'],
} as const

/** The options in a request. */
export const CELL_OPTIONS = {
  several_addresses: Type.Optional(Type.Unsafe<SeveralAddresses>({ ...SEVERAL_FIELD, default: 'first' })),
  malformed: Type.Optional(Type.Unsafe<MalformedOption>({ ...MALFORMED_FIELD, default: 'validate' })),
}
/** The options in a response. */
export const CELL_OPTION_FIELDS = {
  several_addresses: Type.Unsafe<SeveralAddresses>(SEVERAL_FIELD),
  malformed: Type.Unsafe<MalformedOption>(MALFORMED_FIELD),
}

export const positionField = Type.Integer({
  minimum: 1,
  maximum: 1024,
  description: 'Position of the address in the cell of this row: 1 unless the cell contains several values.',
  examples: [1],
})
