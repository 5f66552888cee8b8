import type { JobState, RerunRows } from '@probity/contract/constants/jobs'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { type Posting, postCredits } from '../billing/ledger.ts'
import type { Trx } from '../connection/connect.ts'
import { offsetAndLimit, type Page } from '../connection/page.ts'
import type { Schema } from '../connection/schema.ts'
import type { View } from '../connection/scope.ts'
import { getCallbackSecret } from '../webhooks/webhooks.ts'
import { expireUpload, STILL_KEPT } from './uploads.ts'

export type ConfirmableUpload = Pick<Selectable<Schema['uploads']>, 'storageKey' | 'columns' | 'headerRow'>

/** An upload that can still be confirmed. */
export function findConfirmable(trx: Trx, view: View, uploadId: string): Promise<ConfirmableUpload | undefined> {
  return trx
    .selectFrom('uploads')
    .select(['storageKey', 'columns', 'headerRow'])
    .where('accountId', '=', view.accountId)
    .where('mode', '=', view.mode)
    .where('id', '=', uploadId)
    .where(STILL_KEPT)
    .executeTakeFirst()
}

/** What the chosen column contains, and how it is read. */
export type ListCounts = Pick<
  Selectable<Schema['jobs']>,
  | 'blankCount'
  | 'notAddressCount'
  | 'extraAddressCount'
  | 'leftOutCount'
  | 'severalAddresses'
  | 'malformed'
  | 'emailCount'
  | 'uniqueCount'
>

export type Confirmation = ListCounts & {
  uploadId: string
  emailColumn: string
  keyId: string | null
  /** The options of the request, both true by default; the plan may allow less. */
  ai?: boolean
  catchall?: boolean
  /** Reference text of the client. */
  reference?: string | undefined
  /** Maximum age of an earlier result that may be used; none may be if undefined. */
  maxAgeS?: number | undefined
  /** Receives the event that ends the job. */
  callbackUrl?: string | null
  /** The earlier job whose name and tags the new one gets. */
  rerun?: { of: string; rows: RerunRows }
}

export type Confirmed =
  | { kind: 'confirmed'; jobId: string }
  | { kind: 'missing' }
  | { kind: 'refused'; posting: Posting }
  /** The account has too many waiting addresses. */
  | { kind: 'too_many' }
  | Replay

export type Replay = { kind: 'replayed'; jobId: string; status: JobState } | { kind: 'upload_already_confirmed' }

/**
 * Turns an upload into a job and reserves its credits, once for any number of calls. Takes a transaction that the caller must roll back
 * if it is rejected.
 */
export async function confirmUpload(trx: Trx, view: View, confirmation: Confirmation): Promise<Confirmed> {
  const { uploadId, emailColumn, keyId } = confirmation
  const job = await insertJob(trx, view, confirmation)
  if (job === undefined) return (await findReplay(trx, view, { uploadId, emailColumn })) ?? { kind: 'missing' }

  const credits = job.uniqueCount * job.creditsPerEmail
  if (credits > 0) {
    const posting = await postCredits(trx, { kind: 'reserve', credits, subject: job.id, keyId })
    if (posting.kind !== 'posted') return { kind: 'refused', posting }
  }
  // The posting locks the account's row, so that two concurrent confirmations do not both pass the limit.
  if (await isTooMuch(trx, view)) return { kind: 'too_many' }
  // A week, for exports and reruns (FILE_KEPT_MS); but no file is stored longer than the results of its addresses.
  const expiresAt = sql<Date>`
    least(clock_timestamp() + interval '7 days', (${job.expiresOn}::date + 1)::timestamp at time zone 'utc')`
  await expireUpload(trx, { accountId: view.accountId, uploadId }, expiresAt)
  if (confirmation.callbackUrl) await getCallbackSecret(trx, view) // the callback is signed with it
  return { kind: 'confirmed', jobId: job.id }
}

/**
 * The number of the largest files that may wait at once. Beyond it an account would fill the tables faster than workers can process them.
 */
export const WAITING_FILES_MAX = 50

async function isTooMuch(trx: Trx, { accountId, mode }: View): Promise<boolean> {
  const { rows } = await sql<{ isOver: boolean }>`
    select sum(j.unique_count - j.done_count) > ${WAITING_FILES_MAX} * min(p.emails_per_file)::bigint as is_over
    from jobs j join accounts a on a.id = j.account_id join plans p on p.name = a.plan
    where j.account_id = ${accountId} and j.mode = ${mode} and j.finished_at is null`.execute(trx)
  return rows[0]?.isOver ?? false
}

async function insertJob(trx: Trx, { accountId, mode }: View, confirmation: Confirmation) {
  const { uploadId, emailColumn, keyId, emailCount, uniqueCount, ai = true, catchall = true } = confirmation
  const { blankCount, notAddressCount, extraAddressCount, leftOutCount, severalAddresses, malformed } = confirmation
  const { reference = null, maxAgeS = null, callbackUrl = null, rerun } = confirmation
  const { rows } = await sql<{ id: string; uniqueCount: number; creditsPerEmail: number; expiresOn: string }>`
    insert into jobs (account_id, mode, upload_id, key_id, filename, email_column, row_count, blank_count,
      not_address_count, extra_address_count, left_out_count, several_addresses, malformed, email_count, unique_count,
      credits_per_email, refund_unknown, expires_on, ai, catchall, reference, max_age_s, callback_url, rerun_of, rerun_rows, name, tags)
    select u.account_id, u.mode, u.id, ${keyId}, u.filename, ${emailColumn}, u.row_count, ${blankCount}::integer,
      ${notAddressCount}::integer, ${extraAddressCount}::integer, ${leftOutCount}::integer, ${severalAddresses}, ${malformed},
      ${emailCount}::integer, ${uniqueCount}::integer, case u.mode when 'live' then 1 else 0 end, p.refund_unknown,
      utc_today() + greatest(a.retention_days, 1), ${ai}, ${catchall}, ${reference}, ${maxAgeS}::integer, ${callbackUrl},
      ${rerun?.of ?? null}::uuid, ${rerun?.rows ?? null}, e.name, coalesce(e.tags, '{}')
    from uploads u join accounts a on a.id = u.account_id join plans p on p.name = a.plan
      left join jobs e on e.account_id = u.account_id and e.id = ${rerun?.of ?? null}::uuid
    where u.account_id = ${accountId} and u.mode = ${mode} and u.id = ${uploadId} and ${STILL_KEPT}
    for no key update of u -- so that it is not discarded meanwhile
    on conflict (upload_id) do nothing
    returning id, unique_count, credits_per_email, expires_on`.execute(trx)
  return rows[0]
}

/** The state of an upload that was confirmed before; undefined if it was not. */
export async function findReplay(
  trx: Trx,
  view: View,
  { uploadId, emailColumn }: Pick<Confirmation, 'uploadId' | 'emailColumn'>,
): Promise<Replay | undefined> {
  const job = await trx
    .selectFrom('jobs')
    .select(['id', 'emailColumn', 'state', 'pausedAt', 'finishedAt'])
    .where('accountId', '=', view.accountId)
    .where('mode', '=', view.mode)
    .where('uploadId', '=', uploadId)
    .executeTakeFirst()
  if (job === undefined) return undefined
  if (job.emailColumn !== emailColumn) return { kind: 'upload_already_confirmed' }
  return { kind: 'replayed', jobId: job.id, status: statusOf(job) }
}

/** The state of a job as clients see it: a paused job keeps its state in the database. */
export function statusOf({ state, pausedAt, finishedAt }: Pick<Job, 'state' | 'pausedAt' | 'finishedAt'>): JobState {
  return pausedAt && !finishedAt ? 'paused' : state
}

const COLUMNS = [
  'id',
  'mode',
  'filename',
  'name',
  'tags',
  'emailColumn',
  'reference',
  'state',
  'pausedAt',
  'rowCount',
  'blankCount',
  'notAddressCount',
  'extraAddressCount',
  'leftOutCount',
  'severalAddresses',
  'malformed',
  'emailCount',
  'uniqueCount',
  'doneCount',
  'refundedCount',
  'creditsPerEmail',
  'expiresOn',
  'createdAt',
  'startedAt',
  'finishedAt',
  'callbackUrl',
  'rerunOf',
  'rerunRows',
  'mergedAt',
] as const

/** A job with all of its fields in the API, in one consistent state. */
export type Job = Pick<Selectable<Schema['jobs']>, (typeof COLUMNS)[number]> & {
  /** The time of that state, by the database's clock. */
  now: Date
  counts: KindCount[]
  /** The latest job that re-runs the unknown rows of this one. */
  unknownRerun: UnknownRerun | null
  /** Results of the last minute. */
  recentCount: number
  waiting: Waiting[]
  /** When the slowest addresses in progress have a result or are deferred, at the latest; null if none is slow. */
  slowUntil: Date | null
  /** Whether a worker of the installation has a heartbeat. */
  hasWorker: boolean
  /** Whether the job is paused until an operator decides. */
  isUnderReview: boolean
}

type KindCount = { status: string; subStatus: string; count: number }

type UnknownRerun = Pick<
  Job,
  'id' | 'state' | 'pausedAt' | 'createdAt' | 'finishedAt' | 'mergedAt' | 'uniqueCount' | 'doneCount' | 'counts'
>

/**
 * Addresses that are deferred for the same reason, with their first and last retry. `lastAt` is the last attempt if mail servers defer
 * each of them. During a retry, whose time is over, they are deferred still: they may be again.
 */
export type Waiting = { reason: string; count: number; from: Date; until: Date; lastAt: Date }

/**
 * The time from a retry to the last attempt, in seconds, by the number of deferrals so far: the default retry schedule of 1, 5, 15 and
 * 60 minutes. Test mode defers once.
 */
const LAST_ATTEMPT_AFTER_S = [80 * 60, 75 * 60, 60 * 60, 0]
/** The same for an address without a deferral, after the first of two retries because of no response. */
const LAST_REPLY_AFTER_S = 60
/** The limit of a probe, in seconds (PROBE_WITHIN_MS of the engine), and the time after which an address is slow. */
const PROBE_WITHIN_S = 40
const SLOW_AFTER_S = 5

export async function findJob(trx: Trx, { accountId, mode }: View, jobId: string): Promise<Job | undefined> {
  const jobs = await readJobs(
    trx,
    sql`select * from jobs where account_id = ${accountId} and mode = ${mode} and id = ${jobId}`,
  )
  return jobs[0]
}

/** What a client can change of a job. Settings that are undefined keep their value. */
export type JobChange = { name?: string | undefined; tags?: string[] | undefined }

/** Changes the name and the tags of a job. Undefined if the job does not exist. */
export async function updateJob(
  trx: Trx,
  { accountId, mode }: View,
  jobId: string,
  change: JobChange,
): Promise<Job | undefined> {
  const jobs = trx.updateTable('jobs').set(change).where('accountId', '=', accountId).where('mode', '=', mode)
  await jobs.where('id', '=', jobId).execute()
  return findJob(trx, { accountId, mode }, jobId)
}

/** Filters of job lists. A filter that is not set matches every job. */
export type JobsFilter = {
  /** Job states as customers see them. */
  statuses?: readonly string[] | undefined
  /** A part of the name or of the file name, in any case. */
  search?: string | undefined
  /** A whole tag. */
  tag?: string | undefined
  /** Without reruns of unknown rows whose results are shown with the job that they run again. */
  withoutUnknownReruns?: boolean | undefined
}

/** One page of the jobs, newest first, and their number. */
export async function listJobs(trx: Trx, { accountId, mode }: View, page: JobsFilter & Page) {
  const isMeant = sql`account_id = ${accountId} and mode = ${mode} and ${passes(page)}`
  const jobs = await readJobs(
    trx,
    sql`select * from jobs where ${isMeant} order by created_at desc, id ${offsetAndLimit(page)}`,
  )
  const { rows } = await sql<{ total: number }>`select count(*) as total from jobs where ${isMeant}`.execute(trx)
  return { jobs, total: rows[0]?.total ?? 0 }
}

function passes({ statuses, search, tag, withoutUnknownReruns = false }: JobsFilter): RawBuilder<unknown> {
  const status = sql`(case when paused_at is not null and finished_at is null then 'paused' else state end)`
  const hasStatus = statuses === undefined ? sql`true` : sql`${status} = any (${statuses}::text[])`
  const names = sql`lower(concat_ws(chr(10), name, filename))`
  const isFound = search === undefined ? sql`true` : sql`strpos(${names}, lower(${search})) > 0`
  const hasTag = tag === undefined ? sql`true` : sql`${tag} = any (tags)`
  const isShown = withoutUnknownReruns ? sql`shown_job(id, account_id, rerun_of, rerun_rows) = id` : sql`true`
  return sql`${hasStatus} and ${isFound} and ${hasTag} and ${isShown}`
}

type RawRerun = Omit<UnknownRerun, RerunTime> & Record<RerunTime, string | null>
type RerunTime = 'pausedAt' | 'createdAt' | 'finishedAt' | 'mergedAt'

type RawJob = Omit<Job, 'waiting' | 'unknownRerun'> & {
  unknownRerun: RawRerun | null
  waiting: (Omit<Waiting, 'from' | 'until' | 'lastAt'> & Record<'from' | 'until' | 'lastAt', string>)[]
}

/** The days of unfinished jobs, which select the partitions of their results: PostgreSQL would plan for each of the others, too. */
async function listDays(trx: Trx, chosen: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await sql<{ expiresOn: string }>`
    select distinct j.expires_on from (${chosen}) j where j.finished_at is null`.execute(trx)
  return rows.map(({ expiresOn }) => expiresOn)
}

/** In one statement, so that the counts always add up. For a finished job neither results nor batches are read. */
async function readJobs(trx: Trx, chosen: RawBuilder<unknown>): Promise<Job[]> {
  const days = await listDays(trx, chosen)
  const { rows } = await sql<RawJob>`
    select ${sql.join(COLUMNS.map((column) => sql.ref(`j.${column}`)))}, clock_timestamp() as now,
      (select has_worker()) as has_worker,
      exists (select from job_reviews r where r.job_id = j.id and r.state = 'waiting') as is_under_review,
      ${countsOf('j')} as counts,
      (
        select json_build_object('id', r.id, 'state', r.state, 'pausedAt', r.paused_at, 'createdAt', r.created_at,
          'finishedAt', r.finished_at, 'mergedAt', r.merged_at, 'uniqueCount', r.unique_count, 'doneCount', r.done_count,
          'counts', ${countsOf('r')})
        from jobs r where r.rerun_of = j.id and r.rerun_rows = 'unknown' and r.account_id = j.account_id and r.mode = j.mode
        order by r.created_at desc limit 1
      ) as unknown_rerun,
      coalesce((
        select sum(c.size) from result_chunks c
        where c.expires_on = j.expires_on and c.expires_on = any (${days}::date[]) and c.account_id = j.account_id and c.job_id = j.id
          and c.generation = 0 and c.settled_at > clock_timestamp() - interval '60 seconds' and j.finished_at is null
      ), 0) as recent_count,
      coalesce((
        select json_agg(json_build_object('reason', w.reason, 'count', w.count, 'from', w.from, 'until', w.until, 'lastAt', w.last_at)
                        order by w.reason)
        from (
          select d.reason, sum(d.size) as count, min(d.retry_at) as from, max(d.retry_at) as until,
            max(greatest(d.retry_at + make_interval(secs => d.after_s), d.claimed_at + make_interval(secs => ${PROBE_WITHIN_S}))) as last_at
          from (
            select q.size, q.claimed_at, coalesce(q.retry_at, q.claimed_at, clock_timestamp()) as retry_at,
              -- Addresses that their worker still waits for, after the others of their batch, have no reason of their own.
              case when q.deferrals = 0 and q.no_responses = 0 and q.throttles > 0 then 'throttled' else coalesce(q.wait_reason, 'timeout') end
                as reason,
              case when j.mode = 'test' then 0
                when q.deferrals > 0 then (${LAST_ATTEMPT_AFTER_S}::integer[])[least(q.deferrals, ${LAST_ATTEMPT_AFTER_S.length})]
                when q.no_responses = 1 then ${LAST_REPLY_AFTER_S}::integer else 0 end as after_s
            from job_queue q
            where q.job_id = j.id and j.finished_at is null and (q.retry_at > clock_timestamp() or q.deferrals > 0 or q.no_responses > 0)
          ) d
          group by d.reason
        ) w
      ), '[]') as waiting,
      (
        select max(q.claimed_at) + make_interval(secs => ${PROBE_WITHIN_S}) from job_queue q
        where q.job_id = j.id and j.finished_at is null and q.claimed_at < clock_timestamp() - make_interval(secs => ${SLOW_AFTER_S})
      ) as slow_until
    from (${chosen}) j
    order by j.created_at desc, j.id`.execute(trx)
  return rows.map(({ waiting, unknownRerun, ...job }) => ({
    ...job,
    unknownRerun: unknownRerun && readRerun(unknownRerun),
    waiting: waiting.map(({ from, until, lastAt, ...rest }) => ({
      ...rest,
      from: new Date(from),
      until: new Date(until),
      lastAt: new Date(lastAt),
    })),
  }))
}

/** The counts of a job of the statement as JSON. */
function countsOf(job: 'j' | 'r') {
  const id = sql.ref(`${job}.id`)
  return sql`coalesce((
    select json_agg(json_build_object('status', c.status, 'subStatus', c.sub_status, 'count', c.count) order by c.status, c.sub_status)
    from job_counts c where c.account_id = j.account_id and c.job_id = ${id}
  ), '[]')`
}

function readRerun({ pausedAt, createdAt, finishedAt, mergedAt, ...rerun }: RawRerun): UnknownRerun {
  const read = (time: string | null) => (time === null ? null : new Date(time))
  return {
    ...rerun,
    createdAt: read(createdAt) ?? new Date(0),
    pausedAt: read(pausedAt),
    finishedAt: read(finishedAt),
    mergedAt: read(mergedAt),
  }
}
