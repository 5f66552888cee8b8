import { sql } from 'kysely'
import { asOwner, type Db, type Trx } from '../connection/connect.ts'

const PARTITIONED = ['validations', 'idempotency_records', 'job_batches', 'result_chunks', 'webhook_events']

/** Expires all data of an account as of yesterday. */
export async function letExpire(db: Db, accountId: string): Promise<void> {
  await asOwner(db, async (trx) => {
    for (const table of PARTITIONED) await makeYesterday(trx, table)
    for (const table of [...PARTITIONED, 'uncollected_results', 'jobs', 'job_breakdowns', 'webhook_deliveries']) {
      await sql`update ${sql.table(table)} set expires_on = utc_today() - 1 where account_id = ${accountId}`.execute(
        trx,
      )
    }
    await sql`update uploads set expires_at = clock_timestamp() where account_id = ${accountId}`.execute(trx)
  })
}

/** The partition of yesterday, as it existed yesterday. */
async function makeYesterday(trx: Trx, table: string): Promise<void> {
  const { rows } = await sql<{ name: string; from: string; to: string }>`
    select ${table} || to_char(utc_today() - 1, '_YYYYMMDD') as name, (utc_today() - 1)::text as from,
           utc_today()::text as to`.execute(trx)
  const [day] = rows
  if (day === undefined) throw new Error('there was no yesterday')
  await sql`create table if not exists ${sql.table(day.name)} partition of ${sql.table(table)}
            for values from (${sql.lit(day.from)}) to (${sql.lit(day.to)})`.execute(trx)
}
