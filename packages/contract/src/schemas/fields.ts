import type { TNumberOptions, TStringOptions } from 'typebox'
import Type from 'typebox'
import { PAGE_LIMIT_MAX } from '../constants/limits.ts'

// `type: ['string', 'null']` and not anyOf: a validator that coerces types turns null into '' or 0 at the first branch of an anyOf, so
// that "no cap" would become "a cap of zero".

export function nullableString(options: TStringOptions) {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], ...options })
}

export function nullableNumber(options: TNumberOptions) {
  return Type.Unsafe<number | null>({ type: ['number', 'null'], ...options })
}

export function nullableInteger(options: TNumberOptions) {
  return Type.Unsafe<number | null>({ type: ['integer', 'null'], ...options })
}

/** A number of objects. */
export function count(description: string, example: number) {
  return Type.Integer({ minimum: 0, description, examples: [example] })
}

/** Lists the known values of an extensible enum for programs. Not `enum`, because validators would reject values that are added later. */
export function extensibleEnum(table: Readonly<Record<string, unknown>>) {
  return { examples: Object.keys(table), 'x-extensible-enum': Object.keys(table) }
}

/** The rows of a table as a Markdown list, so that a description always matches the table. */
export function valueList(table: Readonly<Record<string, string>>): string {
  return Object.entries(table)
    .map(([value, meaning]) => `\n- ${value === '' ? 'empty' : `\`${value}\``}: ${meaning}`)
    .join('')
}

/** Part of every object that exists separately in live and in test mode. */
export const LivemodeField = Type.Boolean({
  description:
    'Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.',
  examples: [true],
})

/** A day such as `2026-11-02`. The format allows the year 0, and PostgreSQL does not. */
export function dayField(description: string, example: string) {
  return Type.String({ format: 'date', pattern: '^[1-9]', description, examples: [example] })
}

/** Query parameters of a list: start and length of the page. */
export function pageQuery(title: string, noun: string, limitMax: number = PAGE_LIMIT_MAX) {
  return Type.Object(
    {
      skip: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 2_147_483_647, // maximum of PostgreSQL's integer
          default: 0,
          description: `Number of ${noun} to skip.`,
          examples: [0, 20],
        }),
      ),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          default: 10,
          description: `Maximum number of ${noun} on the page. Values above ${limitMax} are treated as ${limitMax}.`,
          examples: [10, 100],
        }),
      ),
    },
    {
      title,
      description: `Selects a page of ${noun}. Without parameters the first ten are returned.`,
      examples: [{ skip: 20, limit: 10 }],
    },
  )
}

/** For routes that return entries as pages or as one CSV file. */
export const EntryFormat = Type.Optional(
  Type.Enum(['json', 'csv'], {
    type: 'string',
    default: 'json',
    description: '`json` is one page. `csv` is all entries, with the same fields as columns.',
    examples: ['csv'],
  }),
)
