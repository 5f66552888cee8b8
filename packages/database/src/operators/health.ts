import { sql } from 'kysely'
import type { Trx } from '../connection/connect.ts'
import { HEARTBEAT_TIMEOUT_S } from '../system/processes.ts'

/** The state of the system as stored in the database. */
export type SystemHealth = {
  serverVersion: string
  serverSince: Date
  /** The last migration, and when it was applied. */
  migration: string
  migratedAt: Date
  /** The time until which the ledger was reconciled. */
  reconciledUntil: Date
  stoppedAccounts: number
  /** Validations that no worker has claimed although they are due, and since when the oldest has waited. */
  waiting: number
  waitingSince: Date | null
  /** Email notifications that are overdue. */
  lateLetters: number
  oldestLetter: Date | null
}

/** Counting stops at this number; a larger one makes no difference. */
const COUNTED_MAX = 100_000

/** As an operator. */
export async function getSystemHealth(trx: Trx): Promise<SystemHealth> {
  const { rows } = await sql<SystemHealth>`
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

/** Metrics of the whole installation. Ages are in seconds, times in Unix time. */
export type InstallationMetrics = {
  liveApis: number
  liveWorkers: number
  liveMaintenance: number
  callersWaiting: number
  callersOldestS: number
  callersPutOff: number
  listsWaiting: number
  listsOldestS: number
  listsPutOff: number
  listsUnderWay: number
  listsPaused: number
  listsInReview: number
  webhooksWaiting: number
  webhooksOldestS: number
  webhooksPutOff: number
  lettersLate: number
  creditsAvailable: number
  creditsReserved: number
  creditsSpent: number
  accountsStopped: number
  reconciledUntil: number
}

const secondsSince = (time: ReturnType<typeof sql>) =>
  sql`coalesce(greatest(extract(epoch from clock_timestamp() - ${time}), 0), 0)::float8`

/**
 * The age of a job is the time without progress although work is ready: a large job is not a late one. The credits of unlimited accounts
 * have no meaning, so they are not summed. As an operator.
 */
export async function getInstallationMetrics(trx: Trx): Promise<InstallationMetrics> {
  const { rows } = await sql<InstallationMetrics>`
    with open as (
      select v.created_at, v.retry_at > clock_timestamp() as is_put_off,
             (v.claimed_until is null or v.claimed_until < clock_timestamp())
             and (v.retry_at is null or v.retry_at <= clock_timestamp()) as is_waiting,
             coalesce(v.retry_at, v.created_at) as due_at
      from validations v where v.state = 'open' and v.expires_on >= utc_today() limit ${COUNTED_MAX}
    ), callers as (
      select count(*) filter (where is_waiting) as waiting, min(due_at) filter (where is_waiting) as oldest, count(*) filter (where is_put_off) as put_off
      from open
    ), jobs_now as (
      select j.id, j.paused_at, j.created_at, j.last_settled_at from jobs j where j.state in ('queued', 'planning', 'processing')
    ), job_work as (
      select j.created_at, j.last_settled_at, q.*
      from jobs_now j cross join lateral (
        select count(*) as batches,
               coalesce(sum(q.size) filter (where q.retry_at > clock_timestamp()), 0) as put_off,
               coalesce(sum(q.size) filter (where (q.retry_at is null or q.retry_at <= clock_timestamp())
                 and is_batch_unclaimed(q.claimed_by, q.claimed_at)), 0) as waiting,
               min(coalesce(q.retry_at, j.created_at)) filter (where q.retry_at is null or q.retry_at <= clock_timestamp()) as due_at
        from job_queue q where q.job_id = j.id
      ) q
      where j.paused_at is null
    ), lists as (
      select coalesce(sum(waiting), 0)::float8 as waiting, coalesce(sum(put_off), 0)::float8 as put_off,
             min(greatest(due_at, last_settled_at, created_at)) filter (where due_at is not null or batches = 0) as oldest
      from job_work
    ), hooks as (
      select count(*) filter (where next_at <= clock_timestamp()) as waiting, min(next_at) filter (where next_at <= clock_timestamp()) as oldest,
             count(*) filter (where next_at > clock_timestamp()) as put_off
      from webhook_deliveries where state = 'pending'
    ), live as (
      select count(*) filter (where kind = 'api') as apis, count(*) filter (where kind = 'worker') as workers,
             count(*) filter (where kind = 'maintenance') as maintenance
      from processes where seen_at > clock_timestamp() - make_interval(secs => ${HEARTBEAT_TIMEOUT_S})
    ), money as (
      select coalesce(sum(available) filter (where not unlimited), 0)::float8 as available, coalesce(sum(reserved), 0)::float8 as reserved,
             coalesce(sum(spent), 0)::float8 as spent, count(*) filter (where on_hold_since is not null) as stopped
      from accounts
    )
    select live.apis as live_apis, live.workers as live_workers, live.maintenance as live_maintenance,
           callers.waiting as callers_waiting, ${secondsSince(sql`callers.oldest`)} as callers_oldest_s, callers.put_off as callers_put_off,
           lists.waiting as lists_waiting, ${secondsSince(sql`lists.oldest`)} as lists_oldest_s, lists.put_off as lists_put_off,
           (select count(*) from jobs_now where paused_at is null) as lists_under_way,
           (select count(*) from jobs_now where paused_at is not null) as lists_paused,
           (select count(*) from job_reviews r join jobs_now j on j.id = r.job_id where r.state = 'waiting') as lists_in_review,
           hooks.waiting as webhooks_waiting, ${secondsSince(sql`hooks.oldest`)} as webhooks_oldest_s, hooks.put_off as webhooks_put_off,
           (select count(*) from notifications n where n.next_at < clock_timestamp() - interval '10 minutes') as letters_late,
           money.available as credits_available, money.reserved as credits_reserved, money.spent as credits_spent, money.stopped as accounts_stopped,
           extract(epoch from (select reconciled_until from reconciliation_runs))::float8 as reconciled_until
    from live, callers, lists, hooks, money`.execute(trx)
  return rows[0] as InstallationMetrics
}
