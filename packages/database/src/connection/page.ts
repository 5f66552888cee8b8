import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Schema } from './schema.ts'

/** The rows of one page: `limit` rows after the first `skip`. */
export type Page = { skip: number; limit: number }

type Found<Tables extends keyof Schema> = SelectQueryBuilder<Schema, Tables, object>
type Rows<Tables extends keyof Schema, Row> = SelectQueryBuilder<Schema, Tables, Row>

/** One page of the rows that a query finds, and the number of all of them. `present` adds columns and order to the query. */
export async function readPage<Tables extends keyof Schema, Row>(
  found: Found<Tables>,
  page: Page,
  present: (found: Found<Tables>) => Rows<Tables, Row>,
): Promise<{ rows: Row[]; total: number }> {
  const rows = await readRows(present(found), page)
  return { rows, total: await countRows(found) }
}

/** One page without the total, for exports and for lists that are counted separately. */
export function readRows<Tables extends keyof Schema, Row>(found: Rows<Tables, Row>, page: Page) {
  return found.offset(page.skip).limit(page.limit).execute()
}

export async function countRows<Tables extends keyof Schema>(found: Found<Tables>): Promise<number> {
  const { total } = await found.select((of) => of.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return total
}

/** The end of a statement in SQL that reads one page. */
export function offsetAndLimit({ skip, limit }: Page): RawBuilder<unknown> {
  return sql`offset ${skip} limit ${limit}`
}
