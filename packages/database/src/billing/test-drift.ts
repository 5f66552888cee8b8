import { sql } from 'kysely'
import { asOwner, type Db } from '../connection/connect.ts'

/** Puts credits into an account, or takes them, past the ledger: what must never happen. */
export async function driftBy(db: Db, accountId: string, credits: number): Promise<void> {
  await asOwner(db, (trx) =>
    sql`update accounts set available = available + ${credits} where id = ${accountId}`.execute(trx),
  )
}
