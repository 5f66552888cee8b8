import { sql } from 'kysely'
import { asNobody, type Db, type Trx } from './connect.ts'

const MADE_AT_ONCE = 100
/** More than a year of all tables. */
const ROUNDS_MAX = 50

/** Makes the partitions of the days to come and drops those whose day is over. Any process may run it at any time. */
export async function keepPartitions(db: Db): Promise<{ made: number; dropped: number }> {
  const made = await makePartitions(db)
  const dropped = await asNobody(db, (trx) => sql<{ n: number }>`select drop_expired_partitions() as n`.execute(trx))
  await removeDeliveries(db)
  return { made, dropped: dropped.rows[0]?.n ?? 0 }
}

const REMOVED_AT_ONCE = 10_000
/** Ten million; the rest is for the next run. */
const REMOVAL_ROUNDS_MAX = 1_000

/** What was to be delivered has left with its partition; these rows hold nothing of it and go one by one. */
async function removeDeliveries(db: Db): Promise<void> {
  for (let round = 0; round < REMOVAL_ROUNDS_MAX; round++) {
    const { rows } = await asNobody(db, (trx) =>
      sql<{ n: number }>`select delete_expired_deliveries(${REMOVED_AT_ONCE}) as n`.execute(trx),
    )
    if ((rows[0]?.n ?? 0) < REMOVED_AT_ONCE) return
  }
}

/** Whether rows that leave after so many days have a place to be kept. */
export async function arePartitionsReady(trx: Trx, retentionDays: number): Promise<boolean> {
  const { rows } = await sql<{ ready: boolean }>`
    select bool_and(to_regclass(name || to_char(utc_today() + ${retentionDays}::integer, '_YYYYMMDD')) is not null) as ready
    from partitioned_tables where follows_retention`.execute(trx)
  return rows[0]?.ready === true
}

/** For all accounts, and for a retention that one of them is to have. Some at a time: each holds locks until it is committed. */
export async function makePartitions(db: Db, retentionDays = 0): Promise<number> {
  let made = 0
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const { rows } = await asNobody(db, (trx) =>
      sql<{ n: number }>`select make_partitions(${retentionDays}, ${MADE_AT_ONCE}) as n`.execute(trx),
    )
    const n = rows[0]?.n ?? 0
    made += n
    if (n < MADE_AT_ONCE) break
  }
  return made
}
