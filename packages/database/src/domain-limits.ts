import { sql } from 'kysely'
import { asNobody, type Db, type Trx } from './connect.ts'

/** Addresses of the day per registrable domain, without free providers. */
export type DomainCounts = ReadonlyMap<string, number>

/** A domain of which an account has submitted more addresses today than it may. */
export type OverLimit = { domain: string; addresses: number; addressesMax: number }

/**
 * Counts addresses toward the daily limit per domain of the transaction's account. `base` is the limit of an account without payments.
 * Returns the domain that exceeds the limit most; the caller then rolls back or opens a review.
 */
export async function countDomainAddresses(
  trx: Trx,
  counts: DomainCounts,
  base: number,
): Promise<OverLimit | undefined> {
  const { rows } = await sql<OverLimit>`
    select * from count_domain_addresses(${[...counts.keys()]}::text[], ${[...counts.values()]}::integer[], ${base})`.execute(
    trx,
  )
  return rows[0]
}

/** Deletes the counts of past days and returns how many there were. */
export async function deleteOldDomainDays(db: Db): Promise<number> {
  const { rows } = await asNobody(db, (trx) =>
    sql<{ count: number }>`select delete_old_domain_days() as count`.execute(trx),
  )
  return rows[0]?.count ?? 0
}
