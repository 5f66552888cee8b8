import { sql } from 'kysely'
import { asNobody, type Db } from './connect.ts'

/** Well beyond the 30 days for which Stripe sends an event again, and the two weeks that the slowest ways to pay take. */
const KEPT_DAYS = 90

const ROWS_AT_ONCE = 10_000
/** A million of each; the rest is for the next run. */
const ROUNDS_MAX = 100

/** Removes pages to pay on that nobody paid on, and events of Stripe's, when they are old. Any process may run it at any time. */
export async function removeOldPayments(db: Db): Promise<number> {
  let removed = 0
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const { rows } = await asNobody(db, (trx) =>
      sql<{ n: number }>`select delete_old_payments(${KEPT_DAYS}, ${ROWS_AT_ONCE}) as n`.execute(trx),
    )
    const n = rows[0]?.n ?? 0
    removed += n
    if (n < ROWS_AT_ONCE) break
  }
  return removed
}
