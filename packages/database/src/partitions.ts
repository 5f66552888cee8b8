import { sql } from 'kysely'
import { asNobody, type Db } from './connect.ts'

/** Makes the partitions of the days to come and drops those whose day is over. Any process may run it at any time. */
export async function keepPartitions(db: Db): Promise<{ made: number; dropped: number }> {
  const made = await asNobody(db, (trx) => sql<{ n: number }>`select make_partitions() as n`.execute(trx))
  const dropped = await asNobody(db, (trx) => sql<{ n: number }>`select drop_expired_partitions() as n`.execute(trx))
  return { made: made.rows[0]?.n ?? 0, dropped: dropped.rows[0]?.n ?? 0 }
}
