import { sql } from 'kysely'
import type { Trx } from '../connection/connect.ts'

/** Delayed work by the time until it is due. */
type Due = { minute: number; tenMinutes: number; hour: number; later: number }

export type ValidationsQueue = { waiting: number; oldest: Date | null; came: number; went: number } & Due
export type JobsQueue = { underWay: number; paused: number; waiting: number; workedOn: number; went: number } & Due
export type WebhooksQueue = { due: number; oldest: Date | null; later: number }

export type StuckJob = {
  jobId: string
  accountId: string
  accountName: string
  state: string
  done: number
  total: number
  createdAt: Date
  lastDoneAt: Date | null
}

/** Minutes over which throughput is counted. */
export const COUNTED_MINUTES = 5

function countDue(column: 'retry_at' | 'retry_at', weight: 'size' | '1') {
  const at = sql.ref(column)
  const sum = weight === 'size' ? sql`sum(size)` : sql`count(*)`
  const within = (from: string, to: string) =>
    sql`coalesce(${sum} filter (where ${at} > clock_timestamp() + ${from}::interval and ${at} <= clock_timestamp() + ${to}::interval), 0)::bigint`
  return sql`${within('0', '1 minute')} as minute, ${within('1 minute', '10 minutes')} as ten_minutes,
    ${within('10 minutes', '1 hour')} as hour, ${within('1 hour', '100 years')} as later`
}

/** Open validations of requests, and the throughput of the last minutes. As an operator. */
export async function getValidationsQueue(trx: Trx): Promise<ValidationsQueue> {
  const { rows } = await sql<ValidationsQueue>`
    select count(*) filter (where is_waiting) as waiting, min(created_at) filter (where is_waiting) as oldest,
           ${countDue('retry_at', '1')},
           (select count(*) from validations v where v.expires_on >= utc_today()
             and v.created_at > clock_timestamp() - make_interval(mins => ${COUNTED_MINUTES})) as came,
           (select count(*) from validations v where v.expires_on >= utc_today() and v.state = 'final'
             and v.finished_at > clock_timestamp() - make_interval(mins => ${COUNTED_MINUTES})) as went
    from (
      select v.created_at, v.retry_at,
             (v.claimed_until is null or v.claimed_until < clock_timestamp())
             and (v.retry_at is null or v.retry_at <= clock_timestamp()) as is_waiting
      from validations v where v.state = 'open' and v.expires_on >= utc_today()
    ) open`.execute(trx)
  return rows[0] as ValidationsQueue
}

/** The addresses of jobs that are in progress and not paused. As an operator. */
export async function getJobsQueue(trx: Trx): Promise<JobsQueue> {
  const { rows } = await sql<JobsQueue>`
    with jobs_now as (
      select j.id, j.paused_at from jobs j where j.state in ('queued', 'planning', 'processing')
    ), pending as (
      select q.size, q.retry_at, not is_batch_unclaimed(q.claimed_by, q.claimed_at) as is_held
      from jobs_now j join job_queue q on q.job_id = j.id
      where j.paused_at is null
    ), recent as (
      select j.id, j.account_id, j.expires_on, j.results_generation from jobs j
      where j.state in ('queued', 'planning', 'processing') or j.finished_at > clock_timestamp() - make_interval(mins => ${COUNTED_MINUTES})
    )
    select (select count(*) from jobs_now where paused_at is null) as under_way,
           (select count(*) from jobs_now where paused_at is not null) as paused,
           coalesce(sum(size) filter (where not is_held and (retry_at is null or retry_at <= clock_timestamp())), 0)::bigint as waiting,
           coalesce(sum(size) filter (where is_held), 0)::bigint as worked_on,
           ${countDue('retry_at', 'size')},
           (select coalesce(sum(c.size), 0)::bigint
            from recent r join result_chunks c on c.expires_on = r.expires_on and c.account_id = r.account_id and c.job_id = r.id
              and c.generation = r.results_generation
            where c.settled_at > clock_timestamp() - make_interval(mins => ${COUNTED_MINUTES})) as went
    from pending`.execute(trx)
  return rows[0] as JobsQueue
}

export async function getWebhooksQueue(trx: Trx): Promise<WebhooksQueue> {
  const { rows } = await sql<WebhooksQueue>`
    select count(*) filter (where next_at <= clock_timestamp()) as due, min(next_at) filter (where next_at <= clock_timestamp()) as oldest,
           count(*) filter (where next_at > clock_timestamp()) as later
    from webhook_deliveries where state = 'pending'`.execute(trx)
  return rows[0] as WebhooksQueue
}

const STUCK_MAX = 50

/**
 * Jobs without progress for 15 minutes although work is ready: they are not paused, and not all of their batches are delayed. As an
 * operator.
 */
export async function listStuckJobs(trx: Trx): Promise<StuckJob[]> {
  const { rows } = await sql<StuckJob>`
    select j.id as job_id, j.account_id, a.name as account_name, j.state, j.done_count as done, j.unique_count as total, j.created_at,
           j.last_settled_at as last_done_at
    from jobs j join accounts a on a.id = j.account_id
    where j.state in ('queued', 'planning', 'processing') and j.paused_at is null
      and j.created_at < clock_timestamp() - interval '15 minutes'
      and coalesce(j.last_settled_at, j.created_at) < clock_timestamp() - interval '15 minutes'
      and (j.state <> 'processing' or exists (
        select from job_queue q where q.job_id = j.id and (q.retry_at is null or q.retry_at < clock_timestamp() - interval '15 minutes')
      ))
    order by j.created_at limit ${STUCK_MAX}`.execute(trx)
  return rows
}

/** Requeues the unclaimed batches of a job, and returns their number. Undefined if the job has ended or does not exist. */
export async function requeueJob(trx: Trx, jobId: string): Promise<number | undefined> {
  const { rows } = await sql<{ batches: number | null }>`select requeue_job(${jobId}) as batches`.execute(trx)
  return rows[0]?.batches ?? undefined
}
