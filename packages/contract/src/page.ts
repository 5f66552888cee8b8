import Type from 'typebox'

/** More than this is quietly cut to this, which is why the schema of `limit` has no maximum. */
export const PAGE_LIMIT_MAX = 100

/** The query of a list: where the page begins and how long it is. */
export function pageQuery(title: string, noun: string) {
  return Type.Object(
    {
      skip: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 2_147_483_647, // what PostgreSQL's integer holds
          default: 0,
          description: `Number of ${noun} to skip.`,
          examples: [0, 20],
        }),
      ),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          default: 10,
          description: `Maximum number of ${noun} on the page. Values above ${PAGE_LIMIT_MAX} are treated as ${PAGE_LIMIT_MAX}.`,
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

/** For routes that give entries as pages, and as one sheet. */
export const EntryFormat = Type.Optional(
  Type.Enum(['json', 'csv'], {
    type: 'string',
    default: 'json',
    description: '`json` is one page. `csv` is all entries, with the same fields as columns.',
    examples: ['csv'],
  }),
)
