import { sql } from 'kysely'
import { asOwner, type Db } from '../connection/connect.ts'

/** Changes the balance of an account without the ledger, which the product never does. */
export async function driftBy(db: Db, accountId: string, credits: number): Promise<void> {
  await asOwner(db, (trx) =>
    sql`update accounts set available = available + ${credits} where id = ${accountId}`.execute(trx),
  )
}
