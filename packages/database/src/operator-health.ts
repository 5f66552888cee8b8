import { sql } from 'kysely'
import type { Trx } from './connect.ts'

/** What the database knows of how things are. */
export type Vitals = {
  serverVersion: string
  serverSince: Date
  /** The last migration, and when it was applied. */
  migration: string
  migratedAt: Date
  /** Until when the books were audited. */
  reconciledUntil: Date
  stoppedAccounts: number
  /** Validations that nobody has taken though they could be, and since when the oldest has waited. */
  waiting: number
  waitingSince: Date | null
  /** Letters that should have gone out by now. */
  lateLetters: number
  oldestLetter: Date | null
}

/** Counting stops here: more is more than enough to know. */
const COUNTED_MAX = 100_000

/** As an operator. */
export async function getVitals(trx: Trx): Promise<Vitals> {
  const { rows } = await sql<Vitals>`
    with waiting as (
      select v.created_at from validations v
      where v.state = 'open' and v.expires_on >= utc_today() and v.created_at < clock_timestamp() - interval '2 seconds'
        and (v.claimed_until is null or v.claimed_until < clock_timestamp())
        and (v.retry_at is null or v.retry_at <= clock_timestamp())
      limit ${COUNTED_MAX}
    ), late as (
      select n.created_at from notifications n where n.next_at < clock_timestamp() - interval '10 minutes'
    ), migrated as (
      select m.name, m.run_on from migrations m order by m.run_on desc, m.id desc limit 1
    )
    select current_setting('server_version') as server_version, pg_postmaster_start_time() as server_since,
           migrated.name as migration, migrated.run_on at time zone current_setting('timezone') as migrated_at,
           (select reconciled_until from reconciliation_runs) as reconciled_until,
           (select count(*) from accounts where on_hold_since is not null) as stopped_accounts,
           (select count(*) from waiting) as waiting, (select min(created_at) from waiting) as waiting_since,
           (select count(*) from late) as late_letters, (select min(created_at) from late) as oldest_letter
    from migrated`.execute(trx)
  const [vitals] = rows
  if (vitals === undefined) throw new Error('the database was never migrated')
  return vitals
}
