import type { Selectable } from 'kysely'
import { asNobody, type Db, type Trx } from './connect.ts'
import type { Schema } from './schema.ts'

export type OptedOutDomain = Selectable<Schema['optedOutDomains']>

/** The mail domains that must not be probed, for workers. */
export async function readOptedOut(db: Db): Promise<string[]> {
  const rows = await asNobody(db, (trx) => trx.selectFrom('optedOutDomains').select('domain').execute())
  return rows.map(({ domain }) => domain)
}

/** All of them with their notes. As an operator. */
export function listOptedOut(trx: Trx): Promise<OptedOutDomain[]> {
  return trx.selectFrom('optedOutDomains').selectAll().orderBy('domain').execute()
}

/** As an operator. A domain that is listed already keeps its row. */
export async function addOptedOut(trx: Trx, entry: { domain: string; note: string }): Promise<void> {
  await trx
    .insertInto('optedOutDomains')
    .values(entry)
    .onConflict((row) => row.doNothing())
    .execute()
}

/** As an operator. Returns false if the domain is not listed. */
export async function removeOptedOut(trx: Trx, domain: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('optedOutDomains')
    .where('domain', '=', domain)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
